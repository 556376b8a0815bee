import type { Field } from '../description.ts'
import { fromLocalTime, toLocalTime } from '../local-time.ts'
import type { Value } from './control.ts'

// Converts between input values and request bodies.

export type Values = Readonly<Record<string, Value>>

/** The initial input values of a form. */
export function toInputValues(fields: readonly Field[], initial: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const given = initial[field.name] ?? field.initial
      if (given === undefined || given === null) return [field.name, defaultOf(field)]
      if (field.kind === 'time') return [field.name, toLocalTime(String(given))]
      if (field.kind === 'integer') return [field.name, String(given)]
      if (field.kind === 'group') return [field.name, toStrings(given as object)]
      return [field.name, given as Value]
    }),
  )
}

/** A required choice starts with its first value, as the browser shows it. */
const defaultOf = ({ kind, required, choices }: Field): Value =>
  kind === 'choice' && required ? choices[0] : undefined

const toStrings = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** The request body. With `before`, only what differs. What is missing is null, so that the service reports it with all other faults. */
export function toRequestBody(
  fields: readonly Field[],
  values: Values,
  before?: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const unchanged = before && toInputValues(fields, before)
  return Object.fromEntries(
    fields
      .filter(({ name }) => !unchanged || !isSame(values[name], unchanged[name]))
      .map((field) => {
        const empty = field.required || (before && field.nullable) ? null : undefined
        return [field.name, toJsonValue(field, values[field.name]) ?? empty] as const
      })
      .filter(([, value]) => value !== undefined),
  )
}

/** Whether any field was changed. */
export const isChanged = (values: Values, before: Values): boolean =>
  Object.keys(values).some((name) => !isSame(values[name], before[name]))

/** Empty and untouched are the same. */
const isSame = (one: Value, other: Value) => JSON.stringify(one || '') === JSON.stringify(other || '')

export function toJsonValue(field: Field, value: Value): unknown {
  if (value === undefined || value === '') return undefined
  if (field.kind === 'integer') return Number(value)
  if (field.kind === 'time') return fromLocalTime(String(value))
  if (field.kind === 'group') {
    const parts = Object.entries(value as Record<string, string>).filter(([, typed]) => typed !== '')
    return parts.length === 0 ? undefined : Object.fromEntries(parts.map(([name, typed]) => [name, Number(typed)]))
  }
  if (field.kind === 'choices') return (value as readonly string[]).length === 0 ? undefined : value
  return value
}
