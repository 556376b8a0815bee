import { DatabaseUnavailable } from './database.ts'
import { stateOf } from './postgres-session.ts'

/** No connection to PostgreSQL could be opened. */
export class CannotConnect extends Error {
  constructor(
    readonly why: string,
    readonly advice: string,
  ) {
    super(`${why} ${advice}`)
  }
}

/** What to do if the server rejects a connection, by SQLSTATE. */
const rejections: Readonly<Record<string, (connectionsNeeded: number) => string>> = {
  53300: (needed) =>
    `This program needs up to ${needed} connections: raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS.`,
  '3D000': () => 'Create that database, or set DATABASE_URL to one that exists.',
  '28P01': () => 'Correct the user and the password in DATABASE_URL.',
  28000: () => 'Allow this user in pg_hba.conf, or set DATABASE_URL to another user.',
  '57P03': () => 'Wait until it has started, then start again.',
}

/** What to do if the server cannot be trusted, by the code of the error. */
const distrust: readonly (readonly [code: RegExp, advice: string])[] = [
  [/ALTNAME/, 'Set DATABASE_URL to a host name that the certificate of PostgreSQL has.'],
  [/CERT|VERIFY/, 'Set sslrootcert in DATABASE_URL to the authority that signed the certificate of PostgreSQL.'],
  [/TLS_NOT_AVAILABLE/, 'Set ssl = on in PostgreSQL, or another sslmode in DATABASE_URL.'],
]

/** Says why no connection could be opened, and what to do. With several servers, the advice is for the first whose cause is known. */
export function explainFailedConnection({ cause }: DatabaseUnavailable, connectionsNeeded: number): CannotConnect {
  const reason = cause instanceof Error ? cause.message : String(cause)
  for (const failure of cause instanceof AggregateError ? cause.errors : [cause]) {
    const advise = rejections[stateOf(new DatabaseUnavailable(failure))]
    if (advise) return new CannotConnect(`PostgreSQL rejected the connection (${reason}).`, advise(connectionsNeeded))
    const code = String((failure as { code?: unknown } | undefined)?.code)
    const [, advice] = distrust.find(([pattern]) => pattern.test(code)) ?? []
    if (advice) return new CannotConnect(`The connection to PostgreSQL is not secure (${reason}).`, advice)
  }
  const advice = 'Start PostgreSQL, or set DATABASE_URL to where it runs.'
  return new CannotConnect(`The database cannot be reached (${reason}).`, advice)
}
