import { isDeepStrictEqual } from 'node:util'
import { nameOf, type OpenapiDocument, type Schema, whole } from './openapi-document.ts'

/** The direction of a value: clients send it, or receive it. */
export type Direction = 'sent' | 'received'

/** Records a breaking change if there is one. */
export type Note = (isBroken: boolean, text: string) => void

const lowest = ['minimum', 'minLength', 'minItems', 'minProperties'] as const
const highest = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const
/** Rules that must stay the same: only the same rule accepts the same values. */
const rules = ['pattern', 'multipleOf', 'uniqueItems', 'exclusiveMinimum', 'exclusiveMaximum'] as const

/** Compares the schemas of two descriptions. A named schema is compared once per direction, however many operations use it. */
export function createSchemaComparison(released: OpenapiDocument, current: OpenapiDocument, note: Note) {
  const seen = new Set<string>()
  return compare

  /** Records what breaks for clients when a schema changes. */
  function compare(place: string, before: Schema, after: Schema, direction: Direction): void {
    const name = nameOf(before)
    if (name === undefined) compareWhole(place, before, after, direction)
    else compareNamed(name, place, before, after, direction)
  }

  function compareNamed(name: string, place: string, before: Schema, after: Schema, direction: Direction): void {
    const key = `${direction} ${name} ${nameOf(after) ?? place}`
    if (seen.has(key)) return
    seen.add(key)
    note(nameOf(after) !== name, `${place} is no longer a ${name}, a name that generated clients have`)
    compareWhole(`${name} (${direction})`, before, after, direction)
  }

  function compareWhole(place: string, before: Schema, after: Schema, direction: Direction): void {
    const was = whole(released, before)
    const is = whole(current, after)
    const [wasOneOf, isOneOf] = [alternatives(was), alternatives(is)]
    if (wasOneOf || isOneOf) compareAlternatives(place, wasOneOf ?? [was], isOneOf ?? [is], direction)
    else comparePlain(place, was, is, direction)
  }

  function comparePlain(place: string, was: Schema, is: Schema, direction: Direction): void {
    noteType(place, was, is, direction)
    if (direction === 'sent') noteNarrowing(place, was, is)
    compareFields(place, was, is, direction)
    if (was.items && is.items) compare(`${place}[]`, was.items, is.items, direction)
    const [wasRest, isRest] = [was.additionalProperties, is.additionalProperties]
    if (typeof wasRest === 'object' && typeof isRest === 'object') compare(`${place}.*`, wasRest, isRest, direction)
  }

  /** Every alternative of the sender must match one of the receiver. */
  function compareAlternatives(place: string, was: readonly Schema[], is: readonly Schema[], direction: Direction) {
    const fits = (before: Schema, after: Schema): boolean => {
      let isBroken = false
      const look = createSchemaComparison(released, current, (found) => {
        isBroken ||= found
      })
      look(place, before, after, direction)
      return !isBroken
    }
    const allFit =
      direction === 'sent'
        ? was.every((before) => is.some((after) => fits(before, after)))
        : is.every((after) => was.some((before) => fits(before, after)))
    note(!allFit, `${place} has other alternatives`)
  }

  /** The receiver must accept every type of the sender. */
  function noteType(place: string, was: Schema, is: Schema, direction: Direction): void {
    const [given, taken] = direction === 'sent' ? [was, is] : [is, was]
    const isWholeNumber = given.type === 'integer' && taken.type === 'number'
    const isOther = {
      type: taken.type !== undefined && given.type !== taken.type && !isWholeNumber,
      format: taken.format !== undefined && given.format !== taken.format,
      nullable: given.nullable === true && taken.nullable !== true,
      // A response may gain values, but it stays an enumeration.
      enum: taken.enum !== undefined && given.enum === undefined,
    }
    for (const [keyword, isBroken] of Object.entries(isOther)) note(isBroken, changed(place, keyword, was, is))
  }

  /** Records what is no longer accepted from clients. Responses may have wider bounds: what may be sent comes back. */
  function noteNarrowing(place: string, was: Schema, is: Schema): void {
    const number = (schema: Schema, keyword: string) => schema[keyword] as number | undefined
    const isHigher = (keyword: string) => (number(was, keyword) ?? -Infinity) < (number(is, keyword) ?? -Infinity)
    const isLower = (keyword: string) => (number(was, keyword) ?? Infinity) > (number(is, keyword) ?? Infinity)
    for (const bound of lowest) note(isHigher(bound), changed(place, bound, was, is))
    for (const bound of highest) note(isLower(bound), changed(place, bound, was, is))
    for (const rule of rules) note(is[rule] !== undefined && is[rule] !== was[rule], changed(place, rule, was, is))
    for (const value of is.enum ? (was.enum ?? []) : []) {
      note(!is.enum?.includes(value), `${place}: ${written(value)} is no longer taken`)
    }
    const isSameDefault = was.default === undefined || isDeepStrictEqual(was.default, is.default)
    note(!isSameDefault, changed(place, 'default', was, is))
  }

  function compareFields(place: string, was: Schema, is: Schema, direction: Direction): void {
    for (const [field, before] of Object.entries(was.properties ?? {})) {
      const after = is.properties?.[field]
      note(after === undefined, `${place}.${field} is gone`)
      if (after === undefined) continue
      compare(`${place}.${field}`, before, after, direction)
      note(direction === 'received' && requires(was, field) && !requires(is, field), `${place}.${field} may be missing`)
    }
    for (const field of direction === 'sent' ? (is.required ?? []) : []) {
      note(!requires(was, field), `${place}.${field} is newly required`)
    }
  }
}

const alternatives = ({ oneOf, anyOf }: Schema): readonly Schema[] | undefined => oneOf ?? anyOf

const requires = ({ required = [] }: Schema, field: string): boolean => required.includes(field)

const changed = (place: string, keyword: string, was: Schema, is: Schema): string =>
  `${place}: ${keyword} was ${written(was[keyword])} and is ${written(is[keyword])}`

const written = (value: unknown): string => (value === undefined ? 'not there' : JSON.stringify(value))
