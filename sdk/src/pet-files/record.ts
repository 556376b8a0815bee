import type { PetStatus } from '../names.ts'

// What a line of a pet file says. Ids belong to one shop, so an import ignores the pet's id and prefers the category's name.

export interface CategoryRecord {
  readonly kind: 'category'
  readonly name: string
  /** Position by id among the categories of this name; 1 unless given. */
  readonly number?: number
  readonly description?: string
}

export interface PetRecord {
  readonly kind?: 'pet'
  /** Written for the reader; an import ignores it. */
  readonly id?: number
  /** Why an import rejected the line; the next import ignores it. */
  readonly fault?: string
  readonly name: string
  /** Counts only if `category` is absent or names this category. */
  readonly categoryId?: number
  readonly category?: string
  readonly categoryNumber?: number
  readonly status?: PetStatus
  readonly stock?: number
}

export const nameLengthMax = 200
export const descriptionLengthMax = 2_000
export const stockMax = 1_000_000_000
export const statuses: readonly string[] = ['available', 'pending', 'sold'] satisfies PetStatus[]

type Rule = (value: unknown) => string | undefined
type Rules = Readonly<Record<string, Rule>>

const isText: Rule = (value) => (typeof value === 'string' ? undefined : 'must be text')
const isTextUpTo =
  (max: number): Rule =>
  (value) => {
    if (typeof value !== 'string') return 'must be text'
    if (/\p{Surrogate}/u.test(value)) return 'must not contain a lone surrogate'
    return [...value].length > max ? `must have at most ${max} characters` : undefined
  }
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u
const isName: Rule = (value) => {
  if (typeof value === 'string' && /\p{Cc}/u.test(value)) return 'must not contain control characters'
  const fault = isTextUpTo(nameLengthMax)(value)
  return fault ?? (visible.test(value as string) ? undefined : 'must have a visible character')
}
const isDescription: Rule = (value) =>
  typeof value === 'string' && /[^\P{Cc}\t\n]/u.test(value)
    ? 'must not contain control characters other than tab and line feed'
    : isTextUpTo(descriptionLengthMax)(value)
const isInteger =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`
const isOneOf =
  (values: readonly unknown[]): Rule =>
  (value) =>
    values.includes(value) ? undefined : `must be one of ${values.join(', ')}`

const categoryRules: Rules = {
  kind: isOneOf(['category']),
  fault: isText,
  name: isName,
  number: isInteger(1, 1_000_000),
  description: isDescription,
}

const petRules: Rules = {
  kind: isOneOf(['pet']),
  id: isInteger(1, Number.MAX_SAFE_INTEGER),
  fault: isText,
  name: isName,
  category: isName,
  categoryNumber: isInteger(1, 1_000_000),
  categoryId: isInteger(1, Number.MAX_SAFE_INTEGER),
  status: isOneOf(statuses),
  stock: isInteger(0, stockMax),
}

export const petFields = Object.keys(petRules)

/** Checks a value and returns the record, or a text that lists every fault. The service checks it again. */
export function readRecord(value: unknown): CategoryRecord | PetRecord | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an object'
  const record = withCategoryName(value)
  const rules = isCategory(record) ? categoryRules : petRules
  const faults = Object.entries(record).flatMap(([field, content]) => {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    const fault = rule ? rule(content) : 'is not a known field'
    return fault === undefined ? [] : [`${field}: ${fault}`]
  })
  if (!('name' in record)) faults.push('name: is missing')
  if (!isCategory(record)) faults.push(...findPetFaults(record))
  return faults.length > 0 ? faults.join('; ') : trimNames(record)
}

/** The API shows the category as an object; a file holds its name. */
function withCategoryName(value: object): CategoryRecord | PetRecord {
  const { category } = value as { category?: unknown }
  const isObject = typeof category === 'object' && category !== null && 'name' in category
  return (isObject ? { ...value, category: category.name } : value) as CategoryRecord | PetRecord
}

/** Trims names as the service does, so that a category is found by its name. */
function trimNames(record: CategoryRecord | PetRecord): CategoryRecord | PetRecord {
  const name = record.name.trim()
  if (isCategory(record) || record.category === undefined) return { ...record, name }
  return { ...record, name, category: record.category.trim() }
}

function findPetFaults({ category, categoryId, status, stock }: PetRecord): string[] {
  const faults: string[] = []
  if (category === undefined && categoryId === undefined) faults.push('category: give it, or categoryId')
  if (status === 'available' && stock === 0) faults.push('status: cannot be available with nothing in stock')
  return faults
}

export const isCategory = (record: CategoryRecord | PetRecord): record is CategoryRecord => record.kind === 'category'
