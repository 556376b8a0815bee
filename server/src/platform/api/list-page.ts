import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Keyset, Sort } from '../db/clauses.ts'
import type { Value } from '../db/database.ts'
import type { Found } from '../db/pages/list.ts'
import { ApiError, apiErrors } from './errors.ts'
import type { Operation } from './operation.ts'
import { integerParam } from './shapes.ts'

/** The most items on a page. */
const limitMax = 100

/** A page of a list. */
export const pageOf = <S extends z.ZodType>(item: S) => z.array(item).max(limitMax)

/** The query parameters of every list. */
export const pageParams = {
  limit: integerParam(1, limitMax).optional().meta({
    description: 'The most items on a page; 20 by default.',
    example: 20,
    parameter: 'PageLimit',
  }),
  cursor: z.string().optional().meta({
    description: 'Where the page starts: the `cursor` in the `Link` header of the previous page.',
    parameter: 'PageCursor',
  }),
}

export interface PageQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

/** A page of one list, in one order, with one set of filters. A cursor is valid only for the same three. */
interface RequestedPage extends Keyset {
  readonly digest: string
}

/** The order, position and size of the requested page. `sort` is the order's name in the API. */
export function keyset<S extends string>(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  query: PageQuery,
  sorts: Record<S, Sort>,
  sort: S,
  params: object = {},
): RequestedPage {
  const { limit = 20, cursor } = query
  const digest = hash(
    'sha256',
    JSON.stringify([id, path, normalizeFilters(params), sort, normalizeFilters(query)]),
    'base64url',
  ).slice(0, 8)
  const after = cursor === undefined ? undefined : decode(cursor, digest, sorts[sort])
  return { sort: sorts[sort], limit, after, digest }
}

/** The reply for a page, with the cursor of the next page if there may be one. */
export function page<R extends object, T>({ rows, next }: Found<R>, { digest }: RequestedPage, show: (row: R) => T) {
  const body = rows.map(show)
  return next ? { status: 200 as const, body, nextCursor: encode([digest, ...next]) } : { status: 200 as const, body }
}

/** Parameters that do not filter: they choose a page, or are in the digest separately. */
const notFilters = new Set(['limit', 'cursor', 'sort'])

/** Equal for equal filters: ignores the order of parameters and the order and repetition of values. */
function normalizeFilters(parameters: object): string[][] {
  const filters: string[][] = []
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || notFilters.has(name)) continue
    filters.push(Array.isArray(value) ? [name, ...new Set(value.map(String).sort())] : [name, String(value)])
  }
  return filters.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
}

const encode = (parts: readonly Value[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

const isOfType = {
  text: (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  integer: Number.isSafeInteger,
  'nullable-integer': (value: unknown) => value === null || Number.isSafeInteger(value),
}

function decode(cursor: string, digest: string, { columns }: Sort): Value[] {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Value[]
    const [belongsTo, ...values] = parts
    const types = Object.values(columns)
    const isOurs =
      encode(parts) === cursor &&
      belongsTo === digest &&
      values.length === types.length &&
      types.every((type, index) => isOfType[type](values[index]))
    if (isOurs) return values
  } catch {
    // Falls through to the error: it was not one of our cursors.
  }
  throw new ApiError(apiErrors.invalid_cursor)
}
