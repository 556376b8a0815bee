/** How to recognize the right server, by PostgreSQL's names for `target_session_attrs`. */
const conditions = new Map([
  ['any', 'true'],
  ['read-write', "current_setting('transaction_read_only') = 'off'"],
  ['primary', 'NOT pg_is_in_recovery()'],
])

/** PostgreSQL's names, which the client takes from the URL, with `sslrootcert`. */
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

export interface PostgresAddress {
  /** One address per server, in the order in which they are tried. */
  readonly servers: readonly string[]
  /** An SQL condition that is true on the server to use. */
  readonly isRightServer: string
}

export const postgresAddressForm =
  'postgres://user:password@host:5432/database, where host:port may be a comma-separated list, and ?target_session_attrs= one of any, read-write, primary, and ?sslmode= one of those of PostgreSQL'

/**
 * Parses `postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write` as PostgreSQL's tools do. With
 * several servers the default is the one that accepts writes.
 */
export function parsePostgresAddress(text: string): PostgresAddress | undefined {
  const [, start = '', hosts = '', end = ''] =
    /^(postgres(?:ql)?:\/\/(?=.)(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? []
  const addresses = hosts.split(',').map((host) => start + host + end)
  if (start === '' || !addresses.every((address) => URL.canParse(address))) return undefined
  const urls = addresses.map((address) => new URL(address))
  const target = urls[0]?.searchParams.get('target_session_attrs') ?? (urls.length > 1 ? 'read-write' : 'any')
  // The client would send it to the server, which does not know it.
  for (const url of urls) if (url.search !== '') url.searchParams.delete('target_session_attrs')
  const isRightServer = conditions.get(target)
  const sslMode = urls[0]?.searchParams.get('sslmode') ?? 'prefer'
  if (!sslModes.includes(sslMode)) return undefined
  return isRightServer === undefined ? undefined : { servers: urls.map((url) => url.href), isRightServer }
}
