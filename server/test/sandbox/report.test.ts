import { describe, expect, test } from 'bun:test'
import type { RecordedDelivery, RecordedRequest } from '../../src/sandbox/recorded.ts'
import { judge, rules } from '../../src/sandbox/report/judge.ts'
import { petShop } from '../../src/shop/index.ts'
import { readGuides } from '../../src/surfaces/pages/guides.ts'

const guides = readGuides(petShop.guides).flatMap((part) => part.guides)

// Each rule on short histories: one that keeps it, one that breaks it, and one with nothing to judge.

interface Step {
  /** Milliseconds after the response before. */
  readonly wait?: number
  /** Milliseconds by which the sandbox's clock is moved ahead before. */
  readonly advance?: number
  readonly call: string
  readonly operation?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly status?: number | null
  readonly code?: string
  readonly response?: Record<string, string>
  readonly fault?: string
  readonly lastEventId?: string
  /** Whether the response ends only after everything else. */
  readonly open?: boolean
}

const durationMs = 5
const startMs = Date.parse('2026-11-17T12:00:00Z')

/** The recorder's view of these steps, newest first. */
function recordingOf(steps: readonly Step[], firstId = 1): RecordedRequest[] {
  let now = startMs
  let ahead = 0
  return steps
    .map((step, index): RecordedRequest => {
      const [method = '', target = ''] = step.call.split(' ')
      now += step.wait ?? 1_000
      ahead += step.advance ?? 0
      const arrived = now
      now += durationMs
      const status = step.status === undefined ? 200 : step.status
      return {
        id: firstId + index,
        at: new Date(arrived + ahead).toISOString(),
        receivedAt: new Date(arrived).toISOString(),
        durationMs: step.open ? null : durationMs,
        method,
        target,
        ...(step.operation && { operationId: step.operation }),
        headers: step.headers ?? {},
        ...(step.body !== undefined && { body: step.body }),
        keyId: 1,
        status,
        responseHeaders: step.response ?? {},
        ...(step.code && { responseBody: `{"code":"${step.code}","status":${status}}` }),
        ...(step.fault && { fault: step.fault }),
        ...(step.lastEventId && { streamLastEventId: step.lastEventId }),
      }
    })
    .toReversed()
}

function resultOf(rule: string, steps: readonly Step[], deliveries: readonly RecordedDelivery[] = [], firstId = 1) {
  const { rules: results } = judge(
    { requests: recordingOf(steps, firstId), deliveries },
    petShop.operations,
    'http://shop',
  )
  const result = results.find((each) => each.rule === rule)
  if (!result) throw new Error(`There is no rule ${rule}.`)
  return result
}

const verdictOf = (rule: string, ...steps: Step[]) => resultOf(rule, steps).verdict
const brokenBy = (rule: string, ...steps: Step[]) => resultOf(rule, steps).violations.map(({ requests }) => requests)

const list: Step = { call: 'GET /pets', operation: 'listPets' }
const limited: Step = { ...list, status: 429, code: 'rate_limited', response: { 'retry-after': '30' } }
const unavailable: Step = { ...list, status: 503, code: 'unavailable', response: { 'retry-after': '2' } }

describe('waits for Retry-After', () => {
  const rule = 'waits_for_retry_after'

  test('a client that waits that long passes, by its own clock or by one that a test moves', () => {
    expect(verdictOf(rule, limited, { ...list, wait: 30_000 })).toBe('passed')
    expect(verdictOf(rule, limited, { ...list, wait: 1, advance: 30_010 })).toBe('passed')
    expect(verdictOf(rule, unavailable, { ...list, wait: 2_000 })).toBe('passed')
  })

  test('the same request too early fails, also when a later one waits', () => {
    expect(brokenBy(rule, limited, { ...list, wait: 20 })).toEqual([[1, 2]])
    expect(brokenBy(rule, unavailable, { ...list, wait: 1_900 })).toEqual([[1, 2]])
    expect(brokenBy(rule, unavailable, { ...unavailable, wait: 10 }, { ...list, wait: 2_500 })).toEqual([[1, 2]])
  })

  test('after a 429 any other request of the key is too early, except one for its limits', () => {
    const other: Step = { call: 'GET /categories', operation: 'listCategories', wait: 5_000 }
    expect(brokenBy(rule, limited, other)).toEqual([[1, 2]])
    expect(verdictOf(rule, limited, { call: 'GET /limits', operation: 'getLimits', wait: 5_000 })).toBe('passed')
    expect(verdictOf(rule, unavailable, other)).toBe('passed')
  })

  test('requests that were on their way when another was rejected are no offence', () => {
    const beside = ['/pets/1/profile', '/pets/2/profile'].map((path) => ({ call: `GET ${path}`, wait: 100 }))
    expect(verdictOf(rule, limited, ...beside, { ...list, wait: 30_000 })).toBe('passed')
    // The same list, asked for three times side by side: one was rejected, and its retry waited.
    expect(verdictOf(rule, unavailable, { ...list, wait: 0 }, { ...list, wait: 0 }, { ...list, wait: 2_000 })).toBe(
      'passed',
    )
  })

  test('a rejection without a later request is no evidence', () => {
    expect(verdictOf(rule, list, limited)).toBe('not_seen')
  })
})

describe('backs off with jitter', () => {
  const rule = 'backs_off_with_jitter'
  const retries = (path: string, ...waits: number[]): Step[] =>
    [1_000, ...waits].map((wait, index) => ({ call: `GET ${path}`, wait, status: index < waits.length ? null : 200 }))

  test('growing, irregular waits pass', () => {
    expect(verdictOf(rule, ...retries('/pets', 180, 90, 900), ...retries('/categories', 40, 410, 700))).toBe('passed')
  })

  test('waits that are always the same fail', () => {
    expect(brokenBy(rule, ...retries('/pets', 200, 203, 199))).toEqual([[1, 2, 3, 4]])
  })

  test('waits that grow the same way each time have no jitter', () => {
    expect(brokenBy(rule, ...retries('/pets', 200, 400, 800), ...retries('/pets/7/profile', 201, 402, 799))).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ])
  })

  test('few retries, and those that Retry-After dictates, tell nothing', () => {
    expect(verdictOf(rule, ...retries('/pets', 200, 200))).toBe('not_seen')
    expect(verdictOf(rule, ...Array(5).fill({ ...unavailable, wait: 2_000 }))).toBe('not_seen')
  })
})

describe('repeats a POST safely', () => {
  const rule = 'repeats_posts_safely'
  const order = (key: string | undefined, status: number | null, quantity = 1): Step => ({
    call: 'POST /store/orders',
    operation: 'placeOrder',
    body: `{"petId":1,"quantity":${quantity}}`,
    ...(key && { headers: { 'idempotency-key': key } }),
    status,
  })

  test('the same key and body pass, also beside other orders', () => {
    expect(verdictOf(rule, order('a', null), order('a', 201))).toBe('passed')
    expect(verdictOf(rule, order('a', 503), order('b', 201), order('a', 201))).toBe('passed')
  })

  test('no key, another key, or another body under the key fail', () => {
    expect(brokenBy(rule, order(undefined, null), order(undefined, 201))).toEqual([[1, 2]])
    expect(brokenBy(rule, order('a', null), order('b', 201))).toEqual([[1, 2]])
    expect(brokenBy(rule, order('a', null), { ...order('a', 422, 2), code: 'idempotency_key_reused' })).toEqual([[2]])
  })

  test('after a 503 that did nothing no key is needed; after one with an unknown outcome it is', () => {
    const undone = { ...order(undefined, 503), code: 'unavailable' }
    expect(verdictOf(rule, undone, order(undefined, 201))).toBe('not_seen')
    expect(verdictOf(rule, { ...order('a', 503), code: 'unavailable' }, order('b', 201))).toBe('not_seen')
    expect(verdictOf(rule, { ...order('a', 503), code: 'unavailable' }, order('a', 201))).toBe('passed')
    expect(brokenBy(rule, { ...undone, code: 'outcome_unknown' }, order(undefined, 201))).toEqual([[1, 2]])
    expect(verdictOf('retries_what_can_pass', { ...undone, code: 'outcome_unknown' }, list)).toBe('not_seen')
  })

  test('two orders that both succeed are two orders', () => {
    expect(verdictOf(rule, order(undefined, 201), order(undefined, 201))).toBe('not_seen')
    expect(verdictOf(rule, order(undefined, null), order(undefined, 201, 5))).toBe('not_seen')
  })
})

describe('stays out of bans', () => {
  const rule = 'stays_out_of_bans'
  const banned: Step = { ...list, status: 429, code: 'key_banned', response: { 'retry-after': '120' } }

  test('a limited client passes, a banned one fails once, a simulated ban counts for nothing', () => {
    expect(verdictOf(rule, list)).toBe('not_seen')
    expect(verdictOf(rule, limited)).toBe('passed')
    expect(brokenBy(rule, limited, banned, banned)).toEqual([[2, 3]])
    expect(verdictOf(rule, { ...banned, fault: 'key_banned' })).toBe('passed')
  })
})

describe('retries what can pass', () => {
  const rule = 'retries_what_can_pass'
  const missing: Step = { call: 'GET /pets/99/profile', status: 404, code: 'pet_not_found' }

  test('a retried 503 and a 404 that is left alone pass', () => {
    expect(verdictOf(rule, list)).toBe('not_seen')
    expect(verdictOf(rule, unavailable, list)).toBe('passed')
    expect(verdictOf(rule, unavailable, unavailable, unavailable)).toBe('passed')
    expect(verdictOf(rule, missing, list)).toBe('passed')
  })

  test('a 503 that is given up at once and a repeated 4xx fail', () => {
    expect(brokenBy(rule, unavailable)).toEqual([[1]])
    expect(brokenBy(rule, missing, missing)).toEqual([[1, 2]])
    const [violation] = resultOf(rule, [missing, missing]).violations
    expect(violation?.explanation).toContain('404 pet_not_found')
  })

  test('an edit that was read again after 412 may be the same again', () => {
    const edit: Step = { call: 'PATCH /pets/7', operation: 'updatePet', status: 412, code: 'precondition_failed' }
    expect(verdictOf(rule, edit, { call: 'GET /pets/7/profile' }, edit)).toBe('not_seen')
  })

  test('after a change, after a while or after 429 the same request is no blind retry', () => {
    const create: Step = { call: 'POST /pets', status: 201 }
    expect(verdictOf(rule, missing, create, missing)).toBe('passed')
    expect(verdictOf(rule, missing, { ...missing, wait: 60_000 })).toBe('passed')
    expect(verdictOf(rule, limited, limited)).toBe('not_seen')
  })
})

describe('follows links', () => {
  const rule = 'follows_links'
  const first: Step = { ...list, response: { link: '<http://shop/pets?limit=20&cursor=a%2Bb>; rel="next"' } }
  const next = (cursor: string): Step => ({ ...list, call: `GET /pets?cursor=${cursor}&limit=20` })

  test('an offered cursor passes, an invented or rejected one fails', () => {
    expect(verdictOf(rule, first)).toBe('not_seen')
    expect(verdictOf(rule, first, next('a%2Bb'))).toBe('passed')
    expect(brokenBy(rule, first, next('c'))).toEqual([[2]])
    expect(brokenBy(rule, first, { ...next('a%2Bb'), status: 400, code: 'invalid_cursor' })).toEqual([[2]])
  })

  test('where older requests are gone, only a rejected cursor is certainly wrong', () => {
    expect(resultOf(rule, [next('c')], [], 500).verdict).toBe('passed')
    expect(resultOf(rule, [{ ...next('c'), status: 400, code: 'invalid_cursor' }], [], 500).verdict).toBe('failed')
  })
})

describe('edits conditionally', () => {
  const rule = 'edits_conditionally'
  const edit = (etag: string | undefined, status = 200): Step => ({
    call: 'PATCH /pets/7',
    operation: 'updatePet',
    status,
    ...(etag && { headers: { 'if-match': etag } }),
  })
  const read: Step = { call: 'GET /pets/7/profile', operation: 'getPetProfile' }

  test('If-Match passes, also If-None-Match where PUT creates; no condition fails', () => {
    expect(verdictOf(rule, read)).toBe('not_seen')
    expect(verdictOf(rule, read, edit('"1"'))).toBe('passed')
    expect(brokenBy(rule, read, edit(undefined))).toEqual([[2]])
    const create: Step = {
      call: 'PUT /store/inventory/7',
      operation: 'setInventory',
      headers: { 'if-none-match': '*' },
    }
    expect(verdictOf(rule, create)).toBe('not_seen')
  })

  test('after a 412 the resource is read before the next edit', () => {
    expect(verdictOf(rule, edit('"1"', 412), read, edit('"2"'))).toBe('passed')
    expect(verdictOf(rule, edit('"1"', 412))).toBe('passed')
    expect(brokenBy(rule, edit('"1"', 412), edit('"2"'))).toEqual([[1, 2]])
    expect(brokenBy(rule, edit('"1"', 412), { ...read, call: 'GET /pets/70/profile' }, edit('"2"'))).toEqual([[1, 3]])
  })
})

describe('leaves what is deprecated', () => {
  const rule = 'leaves_deprecated'
  const old: Step = { call: 'GET /pets/7', operation: 'getPet', response: { deprecation: '@1793491200' } }
  const successor: Step = { call: 'GET /pets/7/profile', operation: 'getPetProfile' }

  test('one call to learn of it is fine, a second is not', () => {
    expect(verdictOf(rule, list)).toBe('not_seen')
    expect(verdictOf(rule, successor)).toBe('passed')
    expect(verdictOf(rule, old, successor)).toBe('passed')
    expect(brokenBy(rule, old, successor, { ...old, call: 'GET /pets/8' })).toEqual([[1, 3]])
  })
})

describe('resumes streams', () => {
  const rule = 'resumes_streams'
  const stream = (lastEventId?: string, from?: string): Step => ({
    call: 'GET /events/stream',
    operation: 'streamEvents',
    ...(lastEventId && { lastEventId }),
    ...(from && { headers: { 'last-event-id': from } }),
  })

  test('the last id resumes; none, or where the stream began, does not', () => {
    expect(verdictOf(rule, stream('evt_1'))).toBe('not_seen')
    expect(verdictOf(rule, stream('evt_1'), stream(undefined, 'evt_1'))).toBe('passed')
    expect(brokenBy(rule, stream('evt_1'), stream())).toEqual([[1, 2]])
    expect(brokenBy(rule, stream('evt_2', 'evt_1'), stream(undefined, 'evt_1'))).toEqual([[1, 2]])
  })

  test('what the service sent last may not have arrived when the connection broke', () => {
    expect(verdictOf(rule, stream('evt_3', 'evt_1'), stream(undefined, 'evt_2'))).toBe('passed')
    const cut: Step = { ...stream('evt_2', 'evt_1'), fault: 'cut_after' }
    expect(verdictOf(rule, cut, stream(undefined, 'evt_1'))).toBe('passed')
  })

  test('a stream that sent nothing, or is still open, needs no resumption', () => {
    expect(verdictOf(rule, stream(), stream())).toBe('not_seen')
    expect(verdictOf(rule, { ...stream('evt_1'), open: true }, stream())).toBe('not_seen')
  })
})

describe('webhooks', () => {
  const delivery = (status: number | null, forged = false): RecordedDelivery => ({
    ...{ id: 1, at: '2026-11-17T12:00:00Z', webhookId: 1, eventId: 'evt_1', attempt: 1, url: 'http://receiver/' },
    ...{ status, durationMs: 10, forged },
  })
  const verdict = (rule: string, ...deliveries: RecordedDelivery[]) => resultOf(rule, [], deliveries).verdict

  test('2xx and 410 are responses; an error or silence is not', () => {
    expect(verdict('acknowledges_webhooks', delivery(401, true))).toBe('not_seen')
    expect(verdict('acknowledges_webhooks', delivery(204), delivery(200), delivery(410))).toBe('passed')
    expect(verdict('acknowledges_webhooks', delivery(204), delivery(500))).toBe('failed')
    expect(verdict('acknowledges_webhooks', delivery(null))).toBe('failed')
  })

  test('a forged message must be rejected', () => {
    expect(verdict('rejects_forged_webhooks', delivery(204))).toBe('not_seen')
    expect(verdict('rejects_forged_webhooks', delivery(401, true), delivery(400, true))).toBe('passed')
    expect(verdict('rejects_forged_webhooks', delivery(204, true))).toBe('failed')
    expect(verdict('rejects_forged_webhooks', delivery(500, true))).toBe('failed')
  })
})

test('a key in an address fails, by its form or by the name of its parameter', () => {
  const rule = 'keeps_keys_out_of_addresses'
  expect(verdictOf(rule, list)).toBe('passed')
  expect(brokenBy(rule, list, { ...list, call: 'GET /pets?q=ps_…' })).toEqual([[2]])
  expect(brokenBy(rule, { ...list, call: 'GET /pets?api_key=secret' })).toEqual([[1]])
})

test('only rules that saw something count, and a long list of violations is cut', () => {
  const scoreOf = (...steps: Step[]) =>
    judge({ requests: recordingOf(steps), deliveries: [] }, petShop.operations, 'http://shop').score
  expect(scoreOf()).toBe(null)
  expect(scoreOf(list)).toBe(100)
  expect(scoreOf({ call: 'PATCH /pets/7', operation: 'updatePet' })).toBe(50)
  const many = resultOf('keeps_keys_out_of_addresses', Array(50).fill({ ...list, call: 'GET /pets?key=ps_…' }))
  expect([many.violations.length, many.violationCount]).toEqual([20, 50])
})

test('every rule names a guide that exists, and the guide to testing names every rule', () => {
  expect(rules.map(({ guide }) => guide).filter((name) => !guides.some((guide) => guide.name === name))).toEqual([])
  const testing = guides.find(({ name }) => name === 'testing')?.text ?? ''
  const listed = [...testing.matchAll(/^- `(\w+)`: (.+)$/gm)].map(([, id, title]) => [id, title])
  expect(listed).toEqual(rules.map(({ id, title }) => [id, title]))
})
