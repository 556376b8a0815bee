import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Keyset, Sort } from '../db/clauses.ts'
import type { Value } from '../db/database.ts'
import type { Found } from '../db/find-page.ts'
import { ApiError } from './errors.ts'
import type { Operation } from './operation.ts'
import { integerParam } from './shapes.ts'

/** The query parameters of every list. */
export const pageParams = {
  limit: integerParam(1, 100)
    .optional()
    .meta({ description: 'How many items a page holds; 20 unless given.', example: 20, parameter: 'PageLimit' }),
  cursor: z.string().optional().meta({
    description: 'Where the page begins: the `cursor` in the `Link` header of the page before.',
    parameter: 'PageCursor',
  }),
}

export interface PageQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

/** A page of one list, in one order, with one set of filters: what a cursor belongs to. */
interface AskedPage extends Keyset {
  readonly digest: string
}

/** Where in which order the page asked for lies. `sort` is the name under which the order is known to clients. */
export function keyset<S extends string>(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  query: PageQuery,
  sorts: Record<S, Sort>,
  sort: S,
  params: object = {},
): AskedPage {
  const { limit = 20, cursor } = query
  const digest = hash('sha256', JSON.stringify([id, path, said(params), sort, said(query)]), 'base64url').slice(0, 8)
  const after = cursor === undefined ? undefined : decode(cursor, digest, sorts[sort])
  return { sort: sorts[sort], limit, after, digest }
}

/** A page of what was found, and the cursor of the next when there may be one. */
export function page<R extends object, T>({ rows, next }: Found<R>, { digest }: AskedPage, show: (row: R) => T) {
  const body = rows.map(show)
  return next ? { status: 200 as const, body, nextCursor: encode([digest, ...next]) } : { status: 200 as const, body }
}

/** Parameters that say the same page from another place, or are said apart. */
const notFilters = new Set(['limit', 'cursor', 'sort'])

/** The same for whatever means the same: parameters in any order, values in any order and however often. */
function said(parameters: object): string[][] {
  const filters: string[][] = []
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || notFilters.has(name)) continue
    filters.push(Array.isArray(value) ? [name, ...new Set(value.map(String).sort())] : [name, String(value)])
  }
  return filters.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
}

const encode = (parts: readonly Value[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

const fits = {
  text: (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  integer: Number.isSafeInteger,
  'integer or null': (value: unknown) => value === null || Number.isSafeInteger(value),
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
      types.every((type, index) => fits[type](values[index]))
    if (isOurs) return values
  } catch {
    // falls through to the refusal: whatever it was, it was not one of ours
  }
  throw new ApiError('invalid_cursor')
}
