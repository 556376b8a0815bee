import type { Awaitable } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import { DatabaseUnavailable, type FirstStep, type Queryable, type RowLock, type Transaction } from './database.ts'
import type { Work } from './postgres-transaction.ts'

// A transaction for several pieces of work. Their rows are locked and read together, each in turn decides by the state that those
// before it have left, and the writes of all are sent as one statement.

export interface Member {
  readonly work: Work<unknown>
  readonly first: FirstStep
}

/** Rejections count too: they are right only if the changes that they are based on are committed. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown } | 'locked elsewhere'

/** A member failed after it had changed something, or does what could affect the others. Nothing of the transaction may be kept. */
export class MustRunAlone extends Error {}

const isListed = '= ANY ($1::text::bigint[])'
const list = (members: readonly Member[]): string => `{${[...new Set(members.map(({ first }) => first.id))].join(',')}}`

/**
 * Runs members whose rows are of the same kind. With `join`, they all want the same row: once its lock is taken, `join` adds more of
 * them. Otherwise it waits for no lock.
 */
export async function runMembers(tx: Transaction, members: readonly Member[], join?: () => void): Promise<Outcome[]> {
  const { lock } = (members[0] as Member).first as { lock: RowLock<{ readonly id: number }> }
  if (join) {
    await tx.query(tx.dialect.lockRows(lock.table, isListed) ?? '', [list(members)])
    join()
  }
  const ids = list(members)
  const lockFree = tx.dialect.lockFreeRows(lock.table, isListed) ?? ''
  // Sent together and run in this order.
  const [free, found, newIds] = await Promise.all([
    join ? undefined : tx.query<{ id: number }>(lockFree, [ids]),
    tx.query<never>(`${lock.select} ${isListed}`, [ids]),
    reserveIds(tx, members),
  ])
  const rows = new Map<Id, { readonly id: number }>(found.map(lock.toRow).map((row) => [row.id, row]))
  const locked = new Set<Id>(free ? free.map(({ id }) => id) : rows.keys())
  /** For each row, the end of the last member so far that wants it. */
  const ends = new Map<Id, Promise<void>>()
  return Promise.all(
    members.map(({ work, first }) =>
      rows.has(first.id) && !locked.has(first.id)
        ? 'locked elsewhere'
        : runMember(tx, work, { first, rows, ends, newIds }),
    ),
  )
}

async function reserveIds(tx: Queryable, members: readonly Member[]): Promise<ReadonlyMap<string, number[]>> {
  const wanted = Map.groupBy(members, ({ first }) => first.newIdIn)
  const reserved = [...wanted].map(async ([table, { length }]): Promise<[string, number[]]> => {
    if (table === undefined) return ['', []]
    const draw = `SELECT nextval('${table}_id_seq') AS id FROM generate_series(1, $1::bigint)`
    return [table, (await tx.query<{ id: number }>(draw, [length])).map(({ id }) => id)]
  })
  return new Map(await Promise.all(reserved))
}

interface Shared {
  readonly first: FirstStep
  readonly rows: Map<Id, { readonly id: number }>
  readonly ends: Map<Id, Promise<void>>
  readonly newIds: ReadonlyMap<string, number[]>
}

async function runMember(
  tx: Transaction,
  work: Work<unknown>,
  { first, rows, ends, newIds }: Shared,
): Promise<Outcome> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let hasLocked = false
  let hasChanged = false
  /** Kept, because the work may catch the error and continue. */
  let needsOwn: MustRunAlone | undefined
  function requireOwn(why: string, options?: ErrorOptions): never {
    needsOwn = new MustRunAlone(why, options)
    throw needsOwn
  }
  const noting =
    <A extends unknown[]>(change: (...values: A) => void) =>
    (...values: A) => {
      hasChanged = true
      change(...values)
    }

  /** The row as the members before this one leave it. */
  function lockRow(): Awaitable<{ readonly id: number } | undefined> {
    if (hasLocked) return rows.get(first.id)
    hasLocked = true
    const before = ends.get(first.id)
    ends.set(first.id, ended)
    return before ? before.then(() => rows.get(first.id)) : rows.get(first.id)
  }

  const own: Transaction = {
    ...tx,
    query(sql, params) {
      if (!sql.startsWith('SELECT')) requireOwn('its statement could fail for all')
      return tx.query(sql, params)
    },
    send: noting(tx.send),
    insert: noting(tx.insert) as Transaction['insert'],
    add: noting(tx.add),
    notify: noting(tx.notify),
    notifyLocally: noting(tx.notifyLocally),
    lock(lock, id) {
      if (lock.table !== first.lock.table || id !== first.id) requireOwn('it locks another row')
      return lockRow() as Awaitable<never>
    },
    keep(_, row) {
      rows.set(row.id, row)
    },
    nextId: (table) => newIds.get(table)?.shift() ?? tx.nextId(table),
    async savepoint(step) {
      const hadChanged = hasChanged
      hasChanged = false
      try {
        return await step()
      } catch (error) {
        if (hasChanged) requireOwn('its changes have to be undone', { cause: error })
        throw error
      } finally {
        hasChanged ||= hadChanged
      }
    },
  }
  try {
    const value = await work(own)
    if (needsOwn) throw needsOwn
    return { value }
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    if (needsOwn) throw needsOwn
    if (hasChanged) throw new MustRunAlone('it failed', { cause: error })
    return { error }
  } finally {
    end()
  }
}
