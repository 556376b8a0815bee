import { readVariable, userAgent } from './environment.ts'
import type { Logger } from './logger.ts'
import type { Deprecated, PetStoreOptions } from './options.ts'
import { systemTime, type Time } from './time.ts'

/** The options of a client, with all defaults. */
export interface Settings {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly totalMs: number
  readonly attemptTimeoutMs: number
  readonly attemptsMax: number
  readonly throttle: boolean
  readonly leaveFree: number
  readonly onDeprecated: ((notice: Deprecated) => void) | undefined
  readonly logger: Logger | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly time: Time
  /** Whether the time is the caller's, as in tests. */
  readonly hasOwnTime: boolean
}

export function readOptions(options: PetStoreOptions): Settings {
  const { now, sleep, random } = options
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    apiKey: (options.apiKey ?? readVariable('PETSTORE_API_KEY')) || undefined,
    totalMs: options.totalMs ?? 120_000,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 30_000,
    attemptsMax: options.attemptsMax ?? Number.POSITIVE_INFINITY,
    throttle: options.throttle ?? true,
    leaveFree: options.leaveFree ?? 0,
    onDeprecated: options.onDeprecated,
    logger: options.logger,
    headers: { ...(userAgent && { 'User-Agent': userAgent }), ...options.headers },
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    time: { ...systemTime, ...(now && { now }), ...(sleep && { sleep }), ...(random && { random }) },
    hasOwnTime: now !== undefined || sleep !== undefined,
  }
}

function readBaseUrl(given: string | undefined): string {
  const text = given ?? readVariable('PETSTORE_URL')
  if (!text) throw new TypeError('Pass baseUrl, the URL of the service, or set PETSTORE_URL.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  // localhost:8080 is a URL too, with the scheme localhost.
  const name = given === undefined ? 'PETSTORE_URL' : 'baseUrl'
  // Without the URL, so that the password is in no log.
  if (url?.username || url?.password) throw new TypeError(`${name} must not contain a name or a password.`)
  if (url && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '')
  throw new TypeError(`${name} must be an http or https URL, such as https://petstore.example.com, not "${text}".`)
}
