import { SQL } from 'bun'

/** Owns its databases and nothing else, as a managed PostgreSQL gives it. Tests run as this role, unless they start their own server. */
export const ordinaryRole = 'petstore_tests'

/** Longer than a statement or an idle transaction of a test, and set for the role, not by the program. */
const timeout = '5min'

/** Creates the role on a server, as its superuser, unless it is there. */
export async function createOrdinaryRole(server: string): Promise<void> {
  await using sql = new SQL(server, { max: 1 })
  const found = await sql.unsafe(`SELECT 1 FROM pg_roles WHERE rolname = '${ordinaryRole}'`)
  if (found.length > 0) return
  await sql.unsafe(`CREATE ROLE ${ordinaryRole} LOGIN PASSWORD '${ordinaryRole}'`)
  await sql.unsafe(`ALTER ROLE ${ordinaryRole} SET statement_timeout = '${timeout}'`)
  await sql.unsafe(`ALTER ROLE ${ordinaryRole} SET idle_in_transaction_session_timeout = '${timeout}'`)
}

export function asOrdinaryRole(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.username = ordinaryRole
  url.password = ordinaryRole
  return url.href
}

/** The same database for the superuser of the test server: for what a test does as an administrator. */
export function asSuperuser(databaseUrl: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = new URL(databaseUrl).pathname
  return url.href
}
