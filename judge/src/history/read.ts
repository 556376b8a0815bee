import type { Profile, Responses } from '../profile/profile.ts'
import { errorCodeIn } from './error-code.ts'
import type { Exchange, History } from './exchange.ts'

/** Arrivals are known to the millisecond. */
const roundingMs = 1

/** When its response ended, by the machine's clock. */
const endedMs = ({ arrivedMs, durationMs }: Exchange): number => arrivedMs + (durationMs ?? Number.POSITIVE_INFINITY)

/** When its response ended, by the API's clock. */
export const apiEndedMs = ({ apiEndedMs, apiArrivedMs, durationMs }: Exchange): number =>
  apiEndedMs ?? apiArrivedMs + (durationMs ?? Number.POSITIVE_INFINITY)

/** The time from the end of a response to another time, by the clock that moved further: tests may move that of the API. */
function passedMs(ended: Exchange, machineMs: number, apiMs: number): number {
  if (ended.durationMs === null) return Number.NEGATIVE_INFINITY
  return Math.max(machineMs - endedMs(ended), apiMs - apiEndedMs(ended))
}

/** How long the client waited after a response. */
export const waitedMs = (ended: Exchange, next: Exchange): number => passedMs(ended, next.arrivedMs, next.apiArrivedMs)

/** How long the client waited after each response for the next request. */
export const waitsBetween = (exchanges: readonly Exchange[]): number[] =>
  exchanges.slice(1).map((next, index) => waitedMs(exchanges[index] as Exchange, next))

/** How long ago a response ended. */
export const agoMs = (ended: Exchange, { nowMs, apiNowMs }: History): number => passedMs(ended, nowMs, apiNowMs)

/**
 * Whether the client can have known the end of one request when it sent the other. By the machine's clock: moving that of the API ends
 * no request.
 */
export const isAfter = (next: Exchange, ended: Exchange): boolean =>
  next !== ended && next.arrivedMs >= ended.arrivedMs && next.arrivedMs - endedMs(ended) >= -roundingMs

/**
 * Whether a request was certainly sent after the response to another one. Requests that are sent at the same time are often handled one
 * after the other, so one that arrives just then, on another connection, may already have been on its way.
 */
export const isSurelyAfter = (next: Exchange, ended: Exchange): boolean =>
  isAfter(next, ended) &&
  (waitedMs(ended, next) > roundingMs || (next.connection !== undefined && next.connection === ended.connection))

/** A request that arrives within this time after a response may already have been on its way. */
export const onTheWayMs = 1_000

/** Whether the client knew a response when it sent a later request: some time has passed, or it sends one request after the other. */
export function isSentKnowing(next: Exchange, ended: Exchange, exchanges: readonly Exchange[]): boolean {
  if (!isAfter(next, ended)) return false
  if (waitedMs(ended, next) >= onTheWayMs) return true
  const between = exchanges
    .slice(exchanges.indexOf(ended), exchanges.indexOf(next) + 1)
    .filter(({ client }) => client === ended.client)
  return between.every((exchange, index) => index === 0 || isSurelyAfter(exchange, between[index - 1] as Exchange))
}

export const isComplete = ({ received }: Exchange): boolean => received === 'complete'

/** Whether the client got no response, or only part of it. */
export const isLost = ({ received }: Exchange): boolean => received === 'cut' || received === 'abandoned'

export const isSuccess = (exchange: Exchange): boolean => isComplete(exchange) && (exchange.status ?? 500) < 400

/** Whether it failed in a way that may be temporary: no response, or an error of the API itself. */
export const hasFailed = (exchange: Exchange): boolean =>
  isLost(exchange) || (isComplete(exchange) && (exchange.status ?? 0) >= 500)

/** Whether the client asked for this response, to see it. */
export const isAskedFor = ({ headers }: Exchange): boolean => /(?:^|[\s,;])code\s*=/i.test(headers.prefer ?? '')

export const isRead = ({ method }: Exchange): boolean => method === 'GET' || method === 'HEAD'

export const pathOf = ({ target }: Pick<Exchange, 'target'>): string => target.split('?')[0] ?? ''

export const queryOf = ({ target }: Pick<Exchange, 'target'>): URLSearchParams =>
  new URLSearchParams(target.split('?')[1])

/** The address to call instead of one that is deprecated. */
export const successorOf = ({ responseHeaders }: Exchange): string | undefined =>
  /<([^>]*)>;\s*rel="?successor-version/.exec(responseHeaders.link ?? '')?.[1]

/** Whether a path is another one, or is below it. */
export const isBelow = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`)

/** The code of an error response. */
export function codeOf({ status, received, responseBody }: Exchange, { errors }: Profile): string | undefined {
  if (received !== 'complete' || status === null || status < 400 || !responseBody || !errors?.codeField)
    return undefined
  return errorCodeIn(responseBody, errors.codeField)
}

/** Whether the client received one of these responses. */
export const isOneOf = (exchange: Exchange, { statuses, codes }: Responses = {}, profile: Profile): boolean =>
  isComplete(exchange) &&
  (statuses?.includes(exchange.status ?? 0) || codes?.includes(codeOf(exchange, profile) ?? '') || false)

/** Whether the client was told that it sends too much. */
export const isLimited = (exchange: Exchange, profile: Profile): boolean => isOneOf(exchange, profile.limits, profile)

/** "429", or "SlowDown or 503". */
export const namesOf = ({ codes = [], statuses = [] }: Responses = {}): string =>
  codes.length + statuses.length === 0 ? 'no error' : inWords([...codes, ...statuses], 'or')

/** The name that a client gave the call. */
export const nameOf = ({ headers, name }: Exchange, { repeats }: Profile): string | undefined =>
  repeats && (name ?? headers[repeats.header ?? ''])

/** The same for all tries of a call, even if each names it differently. */
export const callOf = ({ client, method, target, operation, headers, body = '' }: Exchange): string =>
  JSON.stringify([client, method, target, operation, headers['if-match'], headers.prefer, body])

/** Groups the requests that are the same, in the order they came. */
export const byCall = (exchanges: readonly Exchange[]): Exchange[][] => [...Map.groupBy(exchanges, callOf).values()]

/** Groups the exchanges by client. */
export const byClient = (exchanges: readonly Exchange[]): Exchange[][] => [
  ...Map.groupBy(exchanges, ({ client }) => client).values(),
]

/** `503 unavailable`, or `no response`. */
export function responseOf(exchange: Exchange, profile: Profile): string {
  if (exchange.received === 'abandoned') return 'no response in time'
  if (isLost(exchange)) return exchange.status === null ? 'no response' : 'only part of the response'
  return [exchange.status, codeOf(exchange, profile)].filter((part) => part !== undefined).join(' ')
}

/** What a list names: "1", "1 and 2", "1, 2 and 3". */
export const inWords = (names: readonly (number | string)[], last: 'and' | 'or' = 'and'): string =>
  names.length < 2 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`

/** `idempotency-key` as people write it. */
export const headerName = (header: string): string => header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const withArticle = (name: string): string => `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`

export const aHeader = (header: string): string => withArticle(headerName(header))

/** What names a call, as people write it: the header or the field. Undefined if the API has neither. */
export const tokenName = ({ repeats }: Profile): string | undefined =>
  repeats?.header === undefined ? repeats?.field : headerName(repeats.header)

/** "POST /orders"; the name of the operation where all of them have one path. */
export const titleOf = (exchange: Exchange): string => {
  const path = pathOf(exchange)
  return path === '/' && exchange.operation !== undefined ? exchange.operation : `${exchange.method} ${path}`
}

/** "an Idempotency-Key", or "a token" if the API has none. */
export const aToken = (profile: Profile): string => withArticle(tokenName(profile) ?? 'token')
