import type { PetStatus } from '@petstore/sdk'

// What a line of an export or an import says. Nothing in it belongs to one database: categories go by their names, and pets have
// no ids, so that a shop reads the same wherever it is.

export interface CategoryRecord {
  readonly kind: 'category'
  readonly name: string
  /** Which of those that share the name, by id; the first unless given. */
  readonly number?: number
  readonly description?: string
}

export interface PetRecord {
  readonly kind?: 'pet'
  readonly name: string
  readonly category?: string
  readonly categoryNumber?: number
  /** In place of the name, where the file was made for one database. */
  readonly categoryId?: number
  readonly status?: PetStatus
  readonly stock?: number
}

export const nameLengthMax = 200
export const stockMax = 1_000_000_000
export const statuses: readonly string[] = ['available', 'pending', 'sold'] satisfies PetStatus[]

type Rule = (value: unknown) => string | undefined
type Rules = Readonly<Record<string, Rule>>

const isWhole = (value: unknown, min: number, max: number) =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max

const named: Rule = (value) => {
  if (typeof value !== 'string') return 'must be text'
  if (value.trim() === '') return 'must not be blank'
  return [...value].length > nameLengthMax ? `must have at most ${nameLengthMax} characters` : undefined
}
const whole =
  (min: number, max: number): Rule =>
  (value) =>
    isWhole(value, min, max) ? undefined : `must be a whole number from ${min} to ${max}`
const oneOf =
  (values: readonly unknown[]): Rule =>
  (value) =>
    values.includes(value) ? undefined : `must be one of ${values.join(', ')}`

const categoryRules: Rules = {
  kind: oneOf(['category']),
  name: named,
  number: whole(1, 1_000_000),
  description: (value) => (typeof value === 'string' ? undefined : 'must be text'),
}

const petRules: Rules = {
  kind: oneOf(['pet']),
  name: named,
  category: named,
  categoryNumber: whole(1, 1_000_000),
  categoryId: whole(1, Number.MAX_SAFE_INTEGER),
  status: oneOf(statuses),
  stock: whole(0, stockMax),
}

export const petFields = Object.keys(petRules)

/** The record that a value is, or every fault it has. The service looks at it again. */
export function readRecord(value: unknown): CategoryRecord | PetRecord | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no object'
  const isCategory = (value as { kind?: unknown }).kind === 'category'
  const rules = isCategory ? categoryRules : petRules
  const faults = Object.entries(value).flatMap(([field, content]) => {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    const fault = rule ? rule(content) : 'is no field that is known'
    return fault === undefined ? [] : [`${field}: ${fault}`]
  })
  if (!('name' in value)) faults.push('name: is missing')
  if (!isCategory) faults.push(...petFaults(value as PetRecord))
  return faults.length > 0 ? faults.join('; ') : (value as CategoryRecord | PetRecord)
}

function petFaults({ category, categoryId, status, stock }: PetRecord): string[] {
  const faults: string[] = []
  if ((category === undefined) === (categoryId === undefined)) faults.push('category: give it, or categoryId')
  if (status === 'available' && stock === 0) faults.push('status: cannot be available with nothing in stock')
  return faults
}

export const isCategory = (record: CategoryRecord | PetRecord): record is CategoryRecord => record.kind === 'category'
