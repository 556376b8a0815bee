import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'

const step = /\.?(?:\[(?<index>-?\d*)\]|(?<name>[\w-]+))/y

/** The parts of a value at a path like those of jq: `.name`, `.[0].id`, or `.[].name` for every item. */
export function selectField(value: unknown, path: string): unknown[] {
  let found = [value]
  step.lastIndex = path === '.' ? 1 : 0
  while (step.lastIndex < path.length) {
    const { index, name } = step.exec(path)?.groups ?? {}
    if (index === undefined && name === undefined) {
      throw new Failure(`--field must be a path such as .name, .[0].id or .[].name, not "${path}".`, exitCodes.misused)
    }
    found = found.flatMap((each) => enter(each, index, name))
  }
  return found
}

function enter(value: unknown, index: string | undefined, name: string | undefined): unknown[] {
  if (name !== undefined) return [(value as Readonly<Record<string, unknown>> | null)?.[name] ?? null]
  if (!Array.isArray(value)) return index === '' ? [] : [null]
  return index === '' ? value : [value.at(Number(index)) ?? null]
}
