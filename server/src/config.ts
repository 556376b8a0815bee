import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parsePostgresAddress, postgresAddressForm } from './platform/db/postgres-address.ts'
import { connectionsMin } from './platform/db/postgres-connections.ts'
import { isWellFormed, newSecret } from './platform/keys/secret.ts'
import { randomBase62 } from './platform/lib/random.ts'
import { type LogFormat, type LogLevel, logFormats, logLevels } from './platform/telemetry/log.ts'
import { parsePairs, parseRatio, samplers, type TraceSettings } from './platform/telemetry/traces/settings.ts'

export interface Config {
  readonly port: number
  readonly host: string
  readonly baseUrl: string
  readonly databaseUrl: string
  /** For work that needs a connection of its own, if DATABASE_URL is that of a pooler. */
  readonly databaseDirectUrl: string | undefined
  /** Of this node in all. Undefined: as many as the server has for each live node. */
  readonly databaseConnectionsMax: number | undefined
  readonly databaseGraceSeconds: number
  readonly adminApiKey: string | undefined
  /** For the signing secrets of webhooks: the first key encrypts, all of them decrypt. Without any, secrets are stored in plain text. */
  readonly secretsKeys: readonly string[]
  readonly logLevel: LogLevel
  /** Undefined: text on a terminal, otherwise JSON. */
  readonly logFormat: LogFormat | undefined
  readonly metricsPort: number | undefined
  /** A statement that takes longer is logged. */
  readonly slowStatementMs: number
  /** Undefined: traces are not sent. */
  readonly traces: TraceSettings | undefined
  readonly trustedProxies: readonly string[]
  readonly sampleData: boolean
  readonly drainSeconds: number
  readonly webhookAllowPrivate: boolean
  readonly webhookAttemptsMax: number
  readonly eventsKeptDays: number
  readonly streamsPerKeyMax: number
  readonly heartbeatSeconds: number
  /** Where to report a vulnerability, for security.txt. */
  readonly securityContact: string | undefined
}

/** Parses one setting. The message of an Error completes "must be …". */
type Reader<T> = (value: string) => T | Error

/** All settings. */
const settings = {
  PORT: integer(0, 65_535),
  HOST: hostToListenOn,
  BASE_URL: baseUrl,
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: postgresUrl,
  DATABASE_CONNECTIONS: integer(connectionsMin, 1_000),
  DATABASE_GRACE_SECONDS: integer(0, 3_600),
  ADMIN_API_KEY: (value) =>
    isWellFormed(value)
      ? value
      : new Error(`ps_ and 36 characters with a valid checksum; here is a new one: ${newSecret()}`),
  SECRETS_KEY: secretsKeys,
  LOG_LEVEL: oneOf(logLevels),
  LOG_FORMAT: oneOf(logFormats),
  METRICS_PORT: integer(0, 65_535),
  SLOW_STATEMENT_MS: integer(0, 3_600_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
  OTEL_EXPORTER_OTLP_HEADERS: parsePairs,
  OTEL_RESOURCE_ATTRIBUTES: parsePairs,
  OTEL_SERVICE_NAME: (value) => value,
  OTEL_TRACES_SAMPLER: oneOf(samplers),
  OTEL_TRACES_SAMPLER_ARG: parseRatio,
  TRUSTED_PROXIES: proxies,
  DRAIN_SECONDS: integer(0, 3_600),
  SAMPLE_DATA: trueOrFalse,
  WEBHOOK_ALLOW_PRIVATE: trueOrFalse,
  WEBHOOK_ATTEMPTS: integer(1, 10_000),
  EVENTS_KEPT_DAYS: integer(1, 36_500),
  EVENT_STREAMS_PER_KEY: integer(1, 10_000),
  // The listener closes a connection that is idle for a minute.
  EVENT_HEARTBEAT_SECONDS: integer(1, 50),
  SECURITY_CONTACT: contactUrl,
} satisfies Record<string, Reader<unknown>>

type Settings = { [Name in keyof typeof settings]?: Exclude<ReturnType<(typeof settings)[Name]>, Error> }

/** Secrets, which may also be in a file that NAME_FILE names, as containers and systemd provide them. */
const secrets: readonly string[] = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'ADMIN_API_KEY', 'SECRETS_KEY']

/** The names of all settings. */
export const settingNames: readonly string[] = [...Object.keys(settings), ...secrets.map((name) => `${name}_FILE`)]

type Environment = Readonly<Record<string, string | undefined>>

/** The database URL for commands that need no other setting. They need connections of their own, so a direct URL takes precedence. */
export function readDatabaseUrl(env: Environment): string {
  const named = Object.entries(env).filter(([name]) => /^DATABASE_(DIRECT_)?URL(_FILE)?$/.test(name))
  const { databaseDirectUrl, databaseUrl } = readConfig(Object.fromEntries(named))
  return databaseDirectUrl ?? databaseUrl
}

export const databaseUrlDefault = 'sqlite:data/petstore.db'

/** Reads the configuration, or throws one error that lists everything wrong with it. */
export function readConfig(env: Environment): Config {
  const read: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, reader] of Object.entries(settings) as [string, Reader<unknown>][]) {
    const value = settingIn(env, name)
    if (value instanceof Error) faults.push(value.message)
    if (value === undefined || value === '' || value instanceof Error) continue
    const result = reader(value)
    if (!(result instanceof Error)) read[name] = result
    // Never print a secret, not even a wrong one. A database URL may contain a password.
    else if (/^(ADMIN_API_KEY|SECRETS_KEY|OTEL_EXPORTER_OTLP_HEADERS)$/.test(name) || value.includes('@'))
      faults.push(`${name} must be ${result.message}.`)
    else faults.push(`${name} is "${value}" but must be ${result.message}.`)
  }
  if (read.DATABASE_DIRECT_URL && !parsePostgresAddress(String(read.DATABASE_URL)))
    faults.push('DATABASE_DIRECT_URL is set, so DATABASE_URL must be that of a pooler in front of the same PostgreSQL.')
  if (faults.length > 0) throw invalid(faults)

  const set = read as Settings
  const port = set.PORT ?? 8080
  const host = set.HOST ?? '127.0.0.1'
  return {
    port,
    host,
    baseUrl: set.BASE_URL ?? `http://${reachable(host)}:${port}`,
    databaseUrl: set.DATABASE_URL ?? databaseUrlDefault,
    databaseDirectUrl: set.DATABASE_DIRECT_URL,
    databaseConnectionsMax: set.DATABASE_CONNECTIONS,
    databaseGraceSeconds: set.DATABASE_GRACE_SECONDS ?? 30,
    adminApiKey: set.ADMIN_API_KEY,
    secretsKeys: set.SECRETS_KEY ?? [],
    logLevel: set.LOG_LEVEL ?? 'info',
    logFormat: set.LOG_FORMAT,
    metricsPort: set.METRICS_PORT,
    slowStatementMs: set.SLOW_STATEMENT_MS ?? 500,
    traces: tracesOf(set),
    trustedProxies: set.TRUSTED_PROXIES ?? [],
    sampleData: set.SAMPLE_DATA ?? true,
    drainSeconds: set.DRAIN_SECONDS ?? 0,
    webhookAllowPrivate: set.WEBHOOK_ALLOW_PRIVATE ?? false,
    webhookAttemptsMax: set.WEBHOOK_ATTEMPTS ?? 64,
    eventsKeptDays: set.EVENTS_KEPT_DAYS ?? 30,
    streamsPerKeyMax: set.EVENT_STREAMS_PER_KEY ?? 10,
    heartbeatSeconds: set.EVENT_HEARTBEAT_SECONDS ?? 15,
    securityContact: set.SECURITY_CONTACT,
  }
}

/** The base URL once the port is open: with PORT=0 the system chooses it. */
export const atPort = (baseUrl: string, port: number): string => baseUrl.replace(/:0$/, `:${port}`)

const tracesOf = (set: Settings): TraceSettings | undefined =>
  set.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: set.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: set.OTEL_EXPORTER_OTLP_HEADERS ?? {},
        resource: {
          ...set.OTEL_RESOURCE_ATTRIBUTES,
          ...(set.OTEL_SERVICE_NAME !== undefined && { 'service.name': set.OTEL_SERVICE_NAME }),
        },
        sampler: set.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
        ratio: set.OTEL_TRACES_SAMPLER_ARG ?? 1,
      }

const invalid = (faults: readonly string[]): Error =>
  new Error(`The configuration is invalid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)

/** Throws if HOST is a name that does not belong to this machine. `readConfig` cannot check that, because it makes no DNS lookup. */
export async function checkHost({ host }: Config): Promise<void> {
  if (isIP(host)) return
  const found = await lookup(host, { all: true }).catch(() => [])
  if (!found.some(({ address }) => isOfThisMachine(address)))
    throw invalid([`HOST is "${host}" but must be ${ownAddress}.`])
}

/** The value of a setting. A file takes precedence, because the container image sets DATABASE_URL. */
function settingIn(env: Environment, name: string): string | undefined | Error {
  const file = secrets.includes(name) ? env[`${name}_FILE`] : undefined
  if (!file) return env[name]
  try {
    const value = readFileSync(file, 'utf8').trim()
    return value === '' ? new Error(`${name}_FILE is "${file}" but that file is empty.`) : value
  } catch (error) {
    return new Error(
      `${name}_FILE is "${file}" but that file cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}

/** The settings in use, for the log: without secrets, and without those that are not set. */
export const showConfig = ({
  adminApiKey,
  secretsKeys,
  databaseUrl,
  databaseDirectUrl,
  traces,
  ...others
}: Config): Record<string, unknown> => ({
  ...others,
  traces: traces && { ...traces, headers: Object.keys(traces.headers) },
  databaseUrl: withoutPassword(databaseUrl),
  databaseDirectUrl: databaseDirectUrl && withoutPassword(databaseDirectUrl),
  adminApiKey: adminApiKey && 'set',
  secretsKeys: secretsKeys.length > 0 ? 'set' : undefined,
})

/** A password may be in the user part, itself with an @, or in a parameter. */
const withoutPassword = (url: string): string => url.replace(/:\/\/[^/?#]*@/, '://').replace(/\?.*/, '')

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIP(host) === 6 ? `[${host}]` : host
}

function integer(min: number, max: number): Reader<number> {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    return number >= min && number <= max ? number : new Error(`a whole number from ${min} to ${max}`)
  }
}

/** In any usual form: 32 random characters have 128 bits in hexadecimal and 192 in Base64. */
function secretsKeys(value: string): readonly string[] | Error {
  const keys = value.split(',').map((key) => key.trim())
  return keys.every((key) => /^[\w+/=-]{32,}$/.test(key))
    ? keys
    : new Error(
        `32 or more letters and digits, or several such keys separated by commas; here is a new one: ${randomBase62(43)}`,
      )
}

function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (value) => values.find((known) => known === value) ?? new Error(`one of ${values.join(', ')}`)
}

function trueOrFalse(value: string): boolean | Error {
  return value === 'true' || value === 'false' ? value === 'true' : new Error('true or false')
}

const ownAddress = 'an IP address of this machine, such as 127.0.0.1 or 0.0.0.0'

function hostToListenOn(value: string): string | Error {
  // The name is also part of the base URL, so it must be valid there: 256.1.1.1 is not.
  const isName = /^[\w.-]+$/.test(value) && URL.canParse(`http://${value}`)
  const isAddress = isIP(value) > 0 && !value.includes('%')
  if (isAddress && !isOfThisMachine(value)) return new Error(ownAddress)
  return isName || isAddress ? value : new Error('an IP address to listen on, such as 127.0.0.1 or 0.0.0.0')
}

/** Whether a program on this machine can listen on an address. Checked here, so that it is reported with all other faults. */
const isOfThisMachine = (address: string): boolean =>
  /^(?:127\.|0\.0\.0\.0$|::1?$)/.test(address) ||
  Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address))

/** The URL of a database, or an error that says what it must be. */
export function databaseUrl(value: string): string | Error {
  if (parsePostgresAddress(value)) return value
  const path = /^sqlite:(.*)$/.exec(value)?.[1]?.trim()
  if (path === undefined) return new Error(`sqlite:<path>, such as sqlite:data/petstore.db, or ${postgresAddressForm}`)
  // SQLite syntax for memory and URIs. Taken as a path, each would create a file with that name.
  const isNotPath = path === '' || /^:|^file:|^\/\/|\?/i.test(path)
  return isNotPath
    ? new Error(
        'sqlite:<path>, such as sqlite:data/petstore.db: the path of a file, not memory, and without file:, // or ?',
      )
    : value
}

function postgresUrl(value: string): string | Error {
  return parsePostgresAddress(value) ? value : new Error(postgresAddressForm)
}

function baseUrl(value: string): string | Error {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const fits = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username
  return fits ? value.replace(/\/+$/, '') : new Error('the URL clients use, such as https://api.example.com')
}

function otlpUrl(value: string): string | Error {
  const url = URL.canParse(value) ? new URL(value) : undefined
  // The log shows it, so it must not contain a password.
  return url && /^https?:$/.test(url.protocol) && !url.username
    ? value
    : new Error('the URL of a collector, such as http://localhost:4318')
}

function contactUrl(value: string): string | Error {
  return /^(https:\/\/|mailto:|tel:)[!-~]+$/.test(value) && URL.canParse(value)
    ? value
    : new Error('a URL that begins with https://, mailto: or tel:, such as mailto:security@example.com')
}

function proxies(value: string): string[] | Error {
  const list = value.split(',').map((part) => part.trim())
  const isProxy = (text: string) => {
    const [address = '', bits, ...rest] = text.split('/')
    const bitsMax = isIP(address) === 6 ? 128 : 32
    return (
      isIP(address) > 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))
    )
  }
  return list.every(isProxy) ? list : new Error('comma-separated IP addresses or networks, such as 10.0.0.0/8,::1')
}
