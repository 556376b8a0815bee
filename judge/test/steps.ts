import { type Delivery, type Exchange, type History, inOrder, type Received } from '../src/history/exchange.ts'
import { judge } from '../src/judge.ts'
import type { Profile } from '../src/profile/profile.ts'

// Short histories of a client of a library that lends books. It is not the service of this repository: the rules know neither.

export const library: Profile = {
  errors: {
    codeField: 'error',
    retry: { codes: ['closed_for_a_moment'] },
    mayRetry: { codes: ['still_busy', 'broken'], statuses: [502] },
  },
  limits: {
    statuses: [429],
    scope: 'client',
    exempt: ['readLimits'],
    liftedBy: ['forgive'],
    resetHeader: 'limit-reset',
    remainingHeader: 'limit-remaining',
  },
  bans: { codes: ['banned'], windowsHeader: 'ratelimit' },
  repeats: {
    methods: ['POST'],
    header: 'request-token',
    nothingDone: { codes: ['closed_for_a_moment'] },
    outcomeUnknown: { codes: ['who_knows'] },
    reused: { codes: ['token_reused'] },
    mustBeSettled: true,
    shownBy: ['listNews'],
  },
  conditions: { operations: ['editBook', 'putBook'] },
  pages: { cursor: 'after', invalid: { codes: ['wrong_page'] } },
  deprecation: { header: 'deprecation' },
  streams: { operations: ['watch'], parameter: 'after', shownBy: ['listNews'] },
  webhooks: { respondWithinSeconds: 10 },
  credentials: { inAddress: ['[?&]card=', 'card_…'], sendIn: 'the header Card' },
  guides: { pages: 'https://library.example/pages' },
}

export interface Step {
  /** Milliseconds after the end of the step before. */
  readonly wait?: number
  /** Milliseconds by which the clock of the API is moved ahead before. */
  readonly advance?: number
  /** Milliseconds until the response ended; null if it is open. */
  readonly took?: number | null
  /** The API's clock stood still meanwhile. */
  readonly isFrozen?: true
  readonly call: string
  readonly operation?: string
  readonly headers?: Record<string, string>
  readonly name?: string
  readonly body?: string
  readonly bodyCut?: true
  /** Null: no response. */
  readonly status?: number | null
  readonly received?: Received
  readonly code?: string
  readonly response?: Record<string, string>
  readonly fault?: string
  readonly lastEventId?: string
  readonly eventIds?: string[]
  readonly responseBody?: string
  readonly client?: number
  readonly connection?: number
}

export const startMs = Date.parse('2026-11-17T12:00:00Z')

export function exchangesOf(steps: readonly Step[], firstId = 1): Exchange[] {
  let now = startMs
  let ahead = 0
  const exchanges = steps.map((step, index): Exchange => {
    const [method = '', target = ''] = step.call.split(' ')
    now += step.wait ?? 1_000
    ahead += step.advance ?? 0
    const arrivedMs = now
    const durationMs = step.took === undefined ? 5 : step.took
    now += durationMs ?? 5
    const apiArrivedMs = arrivedMs + ahead
    if (step.isFrozen) ahead -= durationMs ?? 5
    const status = step.status === undefined ? 200 : step.status
    return {
      id: firstId + index,
      client: step.client ?? 1,
      connection: step.connection,
      method,
      target,
      operation: step.operation,
      headers: step.headers ?? {},
      name: step.name,
      body: step.body,
      ...(step.bodyCut && { bodyCut: step.bodyCut }),
      received: step.received ?? (durationMs === null ? 'open' : status === null ? 'cut' : 'complete'),
      status,
      responseHeaders: step.response ?? {},
      responseBody: step.responseBody ?? (step.code && JSON.stringify({ error: step.code })),
      arrivedMs,
      apiArrivedMs,
      durationMs,
      ...(step.isFrozen && { apiEndedMs: apiArrivedMs }),
      fault: step.fault,
      lastEventId: step.lastEventId,
      eventIds: step.eventIds,
    }
  })
  return inOrder(exchanges)
}

interface More {
  readonly deliveries?: readonly Delivery[]
  readonly isComplete?: boolean
  readonly profile?: Profile
  /** Milliseconds from the last arrival until it is read. */
  readonly readAfter?: number
}

/** What is known an hour later, unless it is read before. */
export function historyOf(exchanges: readonly Exchange[], more: Omit<More, 'profile'> = {}): History {
  const { deliveries = [], isComplete = true, readAfter = 3_600_000 } = more
  const last = exchanges.at(-1)
  const [nowMs, apiNowMs] = [last?.arrivedMs ?? startMs, last?.apiArrivedMs ?? startMs].map((ms) => ms + readAfter)
  return { exchanges, deliveries, isComplete, nowMs: nowMs ?? 0, apiNowMs: apiNowMs ?? 0 }
}

export function resultOf(rule: string, steps: readonly Step[], more: More = {}) {
  const { rules } = judge(historyOf(exchangesOf(steps), more), more.profile ?? library)
  const result = rules.find((each) => each.rule === rule)
  if (!result) throw new Error(`There is no rule ${rule}.`)
  return result
}

export const verdictOf = (rule: string, ...steps: Step[]) => resultOf(rule, steps).verdict
export const brokenBy = (rule: string, ...steps: Step[]) =>
  resultOf(rule, steps).violations.map(({ requests }) => requests)

export const list: Step = { call: 'GET /books', operation: 'listBooks' }
export const limited: Step = { ...list, status: 429, code: 'too_many', response: { 'retry-after': '30' } }
export const closed: Step = { ...list, status: 503, code: 'closed_for_a_moment', response: { 'retry-after': '2' } }
export const lost: Step = { ...list, status: null }

/** A POST without a response in 700 ms, which the client did not wait for. */
export const timedOut = { status: null, received: 'abandoned', took: 700 } as const

export const lend = (token: string | undefined, more: Partial<Step> = {}): Step => ({
  call: 'POST /loans',
  operation: 'lend',
  body: '{"book":1}',
  status: 201,
  ...(token && { headers: { 'request-token': token } }),
  ...more,
})
