import { z } from 'zod'
import type { Keyset, Sort } from '../db/clauses.ts'
import type { Value } from '../db/database.ts'
import { ApiError } from './errors.ts'
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

/** Where in which order the page asked for lies. `sort` is the name under which the order is known to clients. */
export function keyset<S extends string>({ limit = 20, cursor }: PageQuery, sorts: Record<S, Sort>, sort: S): Keyset {
  return { sort: sorts[sort], limit, after: cursor === undefined ? undefined : decode(cursor, sort, sorts[sort]) }
}

/** A page of what was found, and the cursor of the next when there is more. Rows carry the columns they are sorted by. */
export function page<R extends object, T>(rows: R[], { sort, limit }: Keyset, sortName: string, show: (row: R) => T) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1) as Record<string, Value> | undefined
  const body = shown.map(show)
  if (rows.length <= limit || !last) return { status: 200 as const, body }
  return {
    status: 200 as const,
    body,
    nextCursor: encode([sortName, ...Object.keys(sort.columns).map((column) => last[column] ?? null)]),
  }
}

const encode = (parts: Value[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

const fits = {
  text: (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  integer: Number.isSafeInteger,
  'integer or null': (value: unknown) => value === null || Number.isSafeInteger(value),
}

function decode(cursor: string, sortName: string, { columns }: Sort): Value[] {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Value[]
    const [name, ...values] = parts
    const types = Object.values(columns)
    const isOurs =
      encode(parts) === cursor &&
      name === sortName &&
      values.length === types.length &&
      types.every((type, index) => fits[type](values[index]))
    if (isOurs) return values
  } catch {
    // falls through to the refusal: whatever it was, it was not one of ours
  }
  throw new ApiError('invalid_cursor')
}
