import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dir, 'RESULTS.md')
const marks = (name: string) => [`<!-- ${name} -->`, `<!-- end of ${name} -->`] as const

/** A section that a separate bench can replace. */
export function section(name: string, text: string): string {
  const [begin, end] = marks(name)
  return `${begin}\n${text}\n${end}`
}

export const writeResults = (text: string): void => writeFileSync(file, text)

/** Replaces a section, or adds it at the end. */
export function replaceSection(name: string, text: string): void {
  const [begin, end] = marks(name)
  const results = readFileSync(file, 'utf8')
  const [from, to] = [results.indexOf(begin), results.indexOf(end)]
  const isThere = from >= 0 && to > from
  writeResults(
    isThere
      ? results.slice(0, from) + section(name, text) + results.slice(to + end.length)
      : `${results.trimEnd()}\n\n${section(name, text)}\n`,
  )
}
