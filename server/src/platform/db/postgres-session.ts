import { SQL } from 'bun'
import type { Reading } from '../lib/database-clock.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { ConstraintViolation, DatabaseUnavailable, type Value } from './database.ts'
import { type DatabaseObserver, reportFailure } from './observer.ts'
import type { PostgresAddress } from './postgres-address.ts'
import { serverTime } from './postgres-time.ts'

const connectTimeoutMs = 3_000

/** One connection. Statements sent together are pipelined and answered in order. */
export interface Session {
  /** The address it is connected to. */
  readonly server: string
  /** Whether each transaction may have another backend, so that settings apply to one transaction only. */
  readonly isPooled: boolean
  readonly isClosed: boolean
  /** Whether it has prepared so many statements that another session should replace it. */
  readonly isWorn: boolean
  /** Resolves when the connection has ended, for any reason. */
  readonly ended: Promise<void>
  run<R>(sql: string, params?: readonly Value[]): Promise<R[] & { command: string | null }>
  /** Begins a transaction, with the settings of this session. */
  begin(): Promise<unknown>
  /** Asks the server to cancel what this session runs. */
  cancel(): void
  /** Ends the connection immediately; what was not committed is rolled back. */
  close(): void
}

/** What is between the program and the server. */
export interface Way {
  /** Whether a pooler may give each transaction another backend. */
  readonly isPooled: boolean
  /** Whether statements are prepared under a name and reused. */
  readonly isPrepared: boolean
}

export const direct: Way = { isPooled: false, isPrepared: true }

export interface SessionOptions {
  readonly address: PostgresAddress
  readonly applicationName: string
  /** Called when a statement failed because of the server. */
  readonly onServerFailure: (error: unknown) => void
  /** Called with the server's time when a connection is opened. */
  readonly onTimeRead: (reading: Reading) => void
  readonly observer: DatabaseObserver
}

/** The server keeps each statement prepared until the session ends, and lists have too many different ones to keep all. */
const preparedCharactersMax = 500_000

/** The settings of a session. */
export type SessionSettings = Readonly<Record<string, string>>

/** Opens sessions on the first server that is right, starting with the one that was right last time. */
export function createOpener(options: SessionOptions): (settings: SessionSettings, way?: Way) => Promise<Session> {
  const { servers } = options.address
  let first = 0
  return async (settings, way = direct) => {
    const failures: unknown[] = []
    for (let tried = 0; tried < servers.length; tried++) {
      const index = (first + tried) % servers.length
      try {
        const session = await connect(servers[index] as string, settings, way, options)
        first = index
        return session
      } catch (error) {
        failures.push(error)
      }
    }
    throw new DatabaseUnavailable(failures.length === 1 ? failures[0] : allFailed(failures))
  }
}

function allFailed(failures: readonly unknown[]): AggregateError {
  const causes = failures.map((error) => (error instanceof DatabaseUnavailable ? error.cause : error))
  return new AggregateError(causes, causes.map(String).join('; '))
}

async function connect(
  server: string,
  settings: SessionSettings,
  { isPooled, isPrepared }: Way,
  options: SessionOptions,
): Promise<Session> {
  const { observer } = options
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const running = new Set<SQL.Query<unknown>>()
  let isClosed = false
  const prepared = new Set<string>()
  let preparedCharacters = 0
  function notePrepared(sql: string): void {
    if (!isPrepared || prepared.has(sql)) return
    prepared.add(sql)
    preparedCharacters += sql.length
  }
  const client = new SQL(server, {
    max: 1,
    connectionTimeout: connectTimeoutMs / 1000,
    bigint: true,
    prepare: isPrepared,
    connection: { application_name: options.applicationName },
    onclose() {
      isClosed = true
      end()
    },
  })
  const close = () => {
    isClosed = true
    client.close({ timeout: 0 }).then(end, end)
  }

  // Reserved permanently: otherwise the client would replace a lost connection with one without our settings.
  const connection = await client.reserve().catch((error: unknown) => {
    close()
    throw error
  })
  const session: Session = {
    server,
    isPooled,
    get isClosed() {
      return isClosed
    },
    get isWorn() {
      return preparedCharacters > preparedCharactersMax
    },
    ended,
    async run(sql, params = []) {
      notePrepared(sql)
      // A statement without parameters is sent as a template: as plain text it would not be pipelined.
      const query = params.length > 0 ? connection.unsafe(sql, [...params]) : connection(asTemplate(sql))
      running.add(query)
      const startedAt = performance.now()
      try {
        return toNumbers(await query)
      } catch (error) {
        const reason = translate(error)
        if (reason instanceof DatabaseUnavailable) options.onServerFailure(reason)
        reportFailure(observer, reason, error instanceof SQL.PostgresError ? (error.errno ?? '') : '')
        throw reason
      } finally {
        observer.ran(sql, performance.now() - startedAt)
        running.delete(query)
      }
    },
    begin() {
      const begun = session.run('BEGIN')
      return isPooled ? Promise.all([begun, session.run(`SELECT ${apply(settings, true).join(', ')}`)]) : begun
    },
    cancel() {
      for (const query of running) query.cancel()
    },
    close,
  }
  try {
    await withTimeout(
      connectTimeoutMs,
      prepare(session, isPooled ? {} : settings, options),
      () => new Error(`${hostOf(server)} does not respond`),
    )
    return session
  } catch (error) {
    close()
    throw error
  }
}

/** Applies the settings after connecting: a pooler rejects connections with settings it does not know. */
async function prepare(
  session: Session,
  settings: SessionSettings,
  { address, onTimeRead }: SessionOptions,
): Promise<void> {
  const sentAt = performance.now()
  const [row] = await session.run<{ right: boolean; at: number }>(
    `SELECT ${[...apply(settings, false), `${serverTime} AS at`, `${address.isRightServer} AS right`].join(', ')}`,
  )
  if (!row?.right) throw new Error(`${hostOf(session.server)} does not accept writes`)
  onTimeRead({ at: row.at, sentAt, receivedAt: performance.now() })
}

const apply = (settings: SessionSettings, isOnlyForTransaction: boolean): string[] =>
  Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', ${isOnlyForTransaction})`)

const hostOf = (server: string): string => new URL(server).host

const asTemplate = (sql: string) =>
  Object.defineProperty([sql], 'raw', { value: [sql] }) as unknown as TemplateStringsArray

/** Converts BigInt to number: 64-bit integers arrive as BigInt, and every one that this service stores is below 2^53. */
function toNumbers<Rows extends Record<string, unknown>[]>(rows: Rows): Rows {
  for (const row of rows) {
    for (const column in row) {
      const value = row[column]
      if (typeof value === 'bigint') (row as Record<string, unknown>)[column] = Number(value)
    }
  }
  return rows
}

const violations: Record<string, ConstraintViolation['kind']> = {
  23503: 'foreign key',
  23514: 'check',
  23505: 'unique',
}

/** Connection lost, server stopping or starting, out of resources, disk failing, statement cancelled, serialization failure. */
const temporaryStates = /^(08|53|57P|57014|58030|25006|40)/

function translate(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error
  const state = error.errno ?? ''
  const kind = violations[state]
  if (kind) return new ConstraintViolation(kind, error)
  // Without an SQLSTATE the server did not respond: rejected, closed, timed out.
  return state === '' || temporaryStates.test(state) ? new DatabaseUnavailable(error) : error
}

/** Whether a statement was rejected only because an earlier one of the same transaction failed. */
export const isInFailedTransaction = (error: unknown): boolean =>
  error instanceof SQL.PostgresError && error.errno === '25P02'

/** The SQLSTATE of what made the database unavailable; '' if the server did not respond. */
export function stateOf(error: unknown): string {
  const cause = error instanceof DatabaseUnavailable ? error.cause : undefined
  return cause instanceof SQL.PostgresError ? (cause.errno ?? '') : ''
}
