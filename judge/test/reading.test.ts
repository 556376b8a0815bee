import { describe, expect, test } from 'bun:test'
import type { Delivery } from '../src/history/exchange.ts'
import { brokenBy, list, resultOf, type Step, startMs, verdictOf } from './steps.ts'

describe('pages', () => {
  const rule = 'pages'
  const first: Step = { ...list, response: { link: '<http://library/books?limit=20&after=a%2Bb>; rel="next"' } }
  const next = (cursor: string): Step => ({ ...list, call: `GET /books?after=${cursor}&limit=20` })
  const wrong = { status: 400, code: 'wrong_page' }

  test('an offered cursor passes, an invented one fails', () => {
    expect(verdictOf(rule, first)).toBe('not_seen')
    expect(verdictOf(rule, first, next('a%2Bb'))).toBe('passed')
    expect(resultOf(rule, [first, { ...next('c'), ...wrong }]).violations).toEqual([
      { requests: [2], explanation: 'Request 2 has a cursor that no response offered for this list.' },
    ])
  })

  test('a cursor that the API accepts was offered, perhaps to another program', () => {
    expect(verdictOf(rule, first, next('c'))).toBe('not_seen')
  })

  test('an offered cursor with other filters fails if the API rejects it, and says so', () => {
    const other: Step = { ...list, call: 'GET /books?after=a%2Bb&limit=20&shelf=3' }
    expect(verdictOf(rule, first, other)).toBe('passed')
    expect(resultOf(rule, [first, { ...other, ...wrong }]).violations[0]?.explanation).toBe(
      'Request 2 has a cursor that was offered for another list.',
    )
    // A page that was offered may be gone.
    expect(verdictOf(rule, first, { ...next('a%2Bb'), ...wrong })).toBe('not_seen')
  })

  test('an empty cursor and a simulated rejection accuse no one', () => {
    expect(verdictOf(rule, { ...list, call: 'GET /books?after=', status: 400 })).toBe('not_seen')
    const simulated = { ...next('a%2Bb'), ...wrong, fault: 'wrong_page' }
    expect(verdictOf(rule, first, simulated)).toBe('not_seen')
  })
})

describe('conditions', () => {
  const rule = 'conditions'
  const edit = (etag: string | undefined, status = 200): Step => ({
    call: 'PATCH /books/7',
    operation: 'editBook',
    status,
    ...(etag && { headers: { 'if-match': etag } }),
  })
  const read: Step = { call: 'GET /books/7/page' }

  test('If-Match passes, also If-None-Match where PUT creates; no condition fails', () => {
    expect(verdictOf(rule, read)).toBe('not_seen')
    expect(verdictOf(rule, read, edit('"1"'))).toBe('passed')
    expect(brokenBy(rule, read, edit(undefined))).toEqual([[2]])
    const create: Step = { call: 'PUT /books/7', operation: 'putBook', headers: { 'if-none-match': '*' } }
    expect(verdictOf(rule, create)).toBe('not_seen')
    // Nothing was there before.
    expect(verdictOf(rule, { ...create, headers: {}, status: 201 })).toBe('not_seen')
    expect(verdictOf(rule, { ...create, headers: {}, status: 503 }, { ...create, headers: {}, status: 201 })).toBe(
      'not_seen',
    )
    expect(verdictOf(rule, { ...create, headers: {}, status: 200 })).toBe('failed')
  })

  test('a condition that every version meets is none', () => {
    expect(resultOf(rule, [edit('*')]).violations[0]?.explanation).toBe(
      'Request 1, PATCH /books/7, has If-Match: *, which every version matches: it may undo what another client changed.',
    )
  })

  test('callers that have each read and race for one version with the same edit did not repeat it', () => {
    const reads = Array(3).fill({ ...read, response: { etag: '"1"' } })
    const race = [edit('"1"'), edit('"1"', 412), edit('"1"', 412)]
    expect(verdictOf(rule, ...reads, ...race)).toBe('passed')
    expect(brokenBy(rule, ...reads.slice(1), ...race)).toEqual([[4, 5]])
  })

  test('after a 412 the same edit is sent again only after a read that still showed that version', () => {
    const shown = (etag: string, status = 200): Step => ({ ...read, status, response: { etag } })
    expect(verdictOf(rule, edit('"1"', 412), shown('"2"'), edit('"2"'))).toBe('passed')
    expect(verdictOf(rule, edit('"1"', 412))).toBe('passed')
    expect(verdictOf(rule, edit('"1"', 412), shown('W/"1"'), edit('"1"'))).toBe('passed')
    expect(verdictOf(rule, edit('"1"', 412), { call: 'GET /books' }, edit('"1"'))).toBe('passed')
    expect(brokenBy(rule, edit('"1"', 412), edit('"1"', 412))).toEqual([[1, 2]])
    expect(brokenBy(rule, edit('"1"', 412), shown('"2"'), edit('"1"', 412))).toEqual([[1, 3]])
    expect(brokenBy(rule, edit('"1"', 412), shown('"1"', 500), edit('"1"', 412))).toEqual([[1, 3]])
    expect(brokenBy(rule, edit('"1"', 412), { ...read, call: 'GET /books/70' }, edit('"1"', 412))).toEqual([[1, 3]])
  })

  test('a 412 that was asked for says nothing about the version', () => {
    const asked = { ...edit('"1"', 412), headers: { 'if-match': '"1"', prefer: 'code=412' } }
    expect(verdictOf(rule, asked, edit('"1"'))).toBe('passed')
    expect(verdictOf(rule, { ...edit(undefined, 404), headers: { prefer: 'code=404' } })).toBe('not_seen')
  })

  test('an edit of another version, or another edit, comes from someone who knew more', () => {
    expect(verdictOf(rule, edit('"1"'), edit('"1"', 412), edit('"2"'))).toBe('passed')
    expect(verdictOf(rule, edit('"1"', 412), { ...edit('"1"', 412), body: '{"title":"Emma"}' })).toBe('passed')
  })
})

describe('deprecation', () => {
  const rule = 'deprecation'
  const link = '<http://library/books/7>; rel="successor-version"'
  const old: Step = { call: 'GET /book/7', operation: 'oldBook', response: { deprecation: '@1793491200', link } }
  const successor: Step = { call: 'GET /books/7' }

  test('is not seen until a response said so, and something was sent after it', () => {
    expect(verdictOf(rule, successor)).toBe('not_seen')
    expect(verdictOf(rule, { ...old, status: null, received: 'cut' }, successor)).toBe('not_seen')
    expect(verdictOf(rule, old)).toBe('not_seen')
  })

  test('one call to learn of it is fine, a second is not', () => {
    expect(verdictOf(rule, old, successor)).toBe('passed')
    expect(brokenBy(rule, old, successor, { ...old, call: 'GET /book/8' })).toEqual([[1, 3]])
    expect(resultOf(rule, [old, old]).violations[0]?.explanation).toBe(
      'oldBook was called once more after request 1 said that it is deprecated; its successor is http://library/books/7.',
    )
  })

  test('a call that was lost, or is another client’s, told nothing', () => {
    const unheard: Step = { ...old, received: 'abandoned', status: null, response: {} }
    expect(verdictOf(rule, unheard, old, successor)).toBe('passed')
    expect(verdictOf(rule, old, { ...old, client: 2 }, successor)).toBe('passed')
  })

  test('an error tells nothing: its retry is the same request', () => {
    const failed = { ...old, status: 503, response: { ...old.response, 'retry-after': '1' } }
    expect(verdictOf(rule, failed, old, successor)).toBe('passed')
  })

  test('what will be deprecated is not yet', () => {
    const soon = { ...old, response: { deprecation: '@4102444800' } }
    expect(verdictOf(rule, soon, soon)).toBe('not_seen')
    expect(verdictOf(rule, ...Array(2).fill({ ...old, response: { deprecation: 'true' } }))).toBe('failed')
    // By the clock of the API.
    const tomorrow = { ...old, response: { deprecation: `@${startMs / 1_000 + 86_400}` } }
    expect(verdictOf(rule, tomorrow, tomorrow)).toBe('not_seen')
    expect(verdictOf(rule, { ...tomorrow, advance: 2 * 86_400_000 }, tomorrow)).toBe('failed')
  })

  test('calls that were sent at once could not know', () => {
    const [beside, queued] = [-4, 1].map((wait) => ({ ...old, wait })) as [Step, Step]
    expect(verdictOf(rule, old, beside, beside, successor)).toBe('passed')
    expect(verdictOf(rule, old, queued, queued, successor)).toBe('not_seen')
  })
})

describe('streams', () => {
  const rule = 'streams'
  const stream = (eventIds: string[] = [], from?: string): Step => ({
    call: 'GET /watch',
    operation: 'watch',
    ...(eventIds.length > 0 && { eventIds, lastEventId: eventIds.at(-1) as string }),
    ...(from && { headers: { 'last-event-id': from } }),
  })
  const cut = { received: 'cut', fault: 'cut' } as const

  test('the last id resumes; none, or where the stream began, does not', () => {
    expect(verdictOf(rule, stream(['e1']))).toBe('not_seen')
    expect(verdictOf(rule, stream(['e1']), stream([], 'e1'))).toBe('passed')
    expect(brokenBy(rule, stream(['e1']), stream())).toEqual([[1, 2]])
    expect(brokenBy(rule, { ...stream(['e1']), ...cut }, stream())).toEqual([[1, 2]])
    expect(brokenBy(rule, stream(['e2'], 'e1'), stream([], 'e1'))).toEqual([[1, 2]])
  })

  test('an example that was asked for is no stream to resume', () => {
    expect(verdictOf(rule, { ...stream(['e1']), headers: { prefer: 'code=200' } }, stream())).toBe('not_seen')
  })

  test('what the API sent last may not have arrived when the connection broke', () => {
    expect(verdictOf(rule, stream(['e2', 'e3'], 'e1'), stream([], 'e2'))).toBe('passed')
    expect(verdictOf(rule, { ...stream(['e2'], 'e1'), ...cut }, stream([], 'e1'))).toBe('passed')
  })

  test('an id that is always the same, or that no response had, resumes nothing', () => {
    const again = { ...stream(['e2'], 'e1'), ...cut }
    expect(brokenBy(rule, { ...stream(['e1']), ...cut }, again, again, stream([], 'e1'))).toEqual([[3, 4]])
    expect(brokenBy(rule, stream(['e5']), stream([], 'bogus'))).toEqual([[1, 2]])
    const events = { call: 'GET /events', responseBody: '[{"id":"e4"}]' }
    expect(verdictOf(rule, events, stream(['e5']), stream([], 'e4'))).toBe('passed')
  })

  test('a parameter may say where to resume, and is not what a stream is of', () => {
    const after = (id: string): Step => ({ ...stream(), call: `GET /watch?after=${id}` })
    expect(verdictOf(rule, stream(['e1']), after('e1'))).toBe('passed')
    expect(verdictOf(rule, stream(['e1']), after('e1'), stream())).toBe('passed')
    expect(brokenBy(rule, stream(['e1']), after('latest'))).toEqual([[1, 2]])
    expect(verdictOf(rule, stream(['e1']), { ...stream(), call: 'GET /watch?shelf=2' })).toBe('not_seen')
  })

  test('a stream that its client closed needs no resumption', () => {
    const closed = { ...stream(['e1']), received: 'abandoned' } as const
    expect(verdictOf(rule, closed, stream())).toBe('not_seen')
  })

  test('beside a consumer that resumes, others may begin, and a gap may be filled by reading', () => {
    const beside = { ...stream(), wait: 5, took: null }
    expect(verdictOf(rule, { ...stream(['e1']), ...cut }, beside, stream([], 'e1'))).toBe('passed')
    expect(resultOf(rule, [{ ...stream(['e1']), ...cut }, beside], { readAfter: 10 }).verdict).toBe('not_seen')
    const news = { call: 'GET /news?after=e1', operation: 'listNews' }
    expect(verdictOf(rule, stream(['e1']), news, stream())).toBe('not_seen')
  })

  test('a stream that sent nothing, or is still open, needs no resumption', () => {
    expect(verdictOf(rule, stream(), stream())).toBe('not_seen')
    expect(verdictOf(rule, { ...stream(['e1']), took: null }, stream())).toBe('not_seen')
  })
})

describe('webhooks and signatures', () => {
  const delivery = (status: number | null, event = 'e1', more: Partial<Delivery> = {}): Delivery => ({
    ...{ id: 1, webhook: 1, event, status, isReached: true, isForged: false },
    ...more,
  })
  const forged = (status: number | null): Delivery => delivery(status, 'forged', { isForged: true })
  const verdict = (rule: string, ...deliveries: Delivery[]) => resultOf(rule, [], { deliveries }).verdict

  test('a receiver may reject what was signed for another time, as after the clock was moved', () => {
    const stale = delivery(400, 'e1', { isStale: true })
    expect(verdict('webhooks', stale, stale)).toBe('not_seen')
    expect(verdict('webhooks', delivery(204), stale)).toBe('passed')
    expect(verdict('webhooks', { ...stale, status: 500 }, delivery(null))).toBe('failed')
    expect(verdict('signatures', delivery(204), { ...forged(400), isStale: true })).toBe('not_seen')
    expect(verdict('signatures', delivery(204), { ...forged(204), isStale: true })).toBe('failed')
  })

  test('2xx and 410 acknowledge; a message that failed once is sent again for that', () => {
    expect(verdict('webhooks', forged(401))).toBe('not_seen')
    expect(verdict('webhooks', delivery(204), delivery(200, 'e2'), delivery(410, 'e3'))).toBe('passed')
    expect(verdict('webhooks', delivery(410))).toBe('passed')
    expect(verdict('webhooks', delivery(204), delivery(410))).toBe('passed')
    expect(verdict('webhooks', delivery(503), delivery(204))).toBe('passed')
    expect(verdict('webhooks', delivery(500))).toBe('not_seen')
    // The same message again.
    expect(verdict('webhooks', delivery(204), delivery(503), delivery(204))).toBe('passed')
    expect(verdict('webhooks', delivery(204), delivery(409))).toBe('failed')
    const failed = [delivery(500), delivery(null, 'e1', { id: 2 })]
    expect(resultOf('webhooks', [], { deliveries: failed }).violations[0]?.explanation).toBe(
      'Deliveries 1 and 2 of event e1 to webhook 1 got 500, no response in time: it was not acknowledged.',
    )
  })

  test('where nothing listens, there is no receiver', () => {
    const refused = delivery(null, 'e1', { isReached: false })
    expect(verdict('webhooks', refused, refused, refused)).toBe('not_seen')
  })

  test('a forged message must be rejected; an error or silence tells nothing', () => {
    expect(verdict('signatures', delivery(204), forged(null))).toBe('not_seen')
    expect(verdict('signatures', delivery(204), forged(500))).toBe('not_seen')
    expect(verdict('signatures', delivery(204), forged(401), forged(400))).toBe('passed')
    expect(verdict('signatures', forged(204))).toBe('failed')
  })

  test('a receiver that acknowledges nothing rejects nothing', () => {
    expect(verdict('signatures', delivery(404), forged(404))).toBe('not_seen')
    expect(verdict('signatures', delivery(204, 'e1', { webhook: 2 }), forged(404))).toBe('not_seen')
  })
})

test('a credential in an address fails, by its form or by the name of its parameter', () => {
  expect(verdictOf('credentials', list)).toBe('passed')
  expect(brokenBy('credentials', list, { ...list, call: 'GET /books?q=card_…' })).toEqual([[2]])
  expect(brokenBy('credentials', { ...list, call: 'GET /books?card=secret' })).toEqual([[1]])
})
