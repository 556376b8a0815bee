import type { Field } from '../description.ts'
import type { Value } from './field.tsx'

// Between what is typed and what is sent.

export type Values = Readonly<Record<string, Value>>

/** What a form begins with, as it would be typed. */
export function typedOf(fields: readonly Field[], initial: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const given = initial[field.name] ?? field.initial
      if (given === undefined || given === null) return [field.name, firstOf(field)]
      if (field.kind === 'time') return [field.name, localTime(String(given))]
      if (field.kind === 'integer') return [field.name, String(given)]
      if (field.kind === 'group') return [field.name, stringsIn(given as object)]
      return [field.name, given as Value]
    }),
  )
}

/** A choice that has to be made begins with its first value, which is what the browser shows. */
const firstOf = ({ kind, required, choices }: Field): Value => (kind === 'choice' && required ? choices[0] : undefined)

const stringsIn = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** A time as the field for local times wants it. */
function localTime(at: string): string {
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** What is sent. With `before`, only what differs from it; what was emptied is sent as null where the description allows it. */
export function sentOf(
  fields: readonly Field[],
  values: Values,
  before?: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const unchanged = before && typedOf(fields, before)
  return Object.fromEntries(
    fields
      .filter(({ name }) => !unchanged || !isSame(values[name], unchanged[name]))
      .map((field) => [field.name, jsonOf(field, values[field.name])] as const)
      .map(([name, value]) => [name, value === undefined && before && isNullable(fields, name) ? null : value])
      .filter(([, value]) => value !== undefined),
  )
}

const isNullable = (fields: readonly Field[], name: string) =>
  fields.some((field) => field.name === name && field.nullable)

/** Nothing typed and never touched are the same. */
const isSame = (one: Value, other: Value) => JSON.stringify(one || '') === JSON.stringify(other || '')

function jsonOf(field: Field, value: Value): unknown {
  if (value === undefined || value === '') return undefined
  if (field.kind === 'integer') return Number(value)
  if (field.kind === 'time') return new Date(String(value)).toISOString()
  if (field.kind === 'group') {
    const parts = Object.entries(value as Record<string, string>).filter(([, typed]) => typed !== '')
    return parts.length === 0 ? undefined : Object.fromEntries(parts.map(([name, typed]) => [name, Number(typed)]))
  }
  if (field.kind === 'choices') return (value as readonly string[]).length === 0 ? undefined : value
  return value
}
