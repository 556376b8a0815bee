import { describe, expect, test } from 'bun:test'
import { judge } from '../src/judge.ts'
import {
  brokenBy,
  closed,
  exchangesOf,
  historyOf,
  lend,
  library,
  limited,
  list,
  resultOf,
  type Step,
  startMs,
  timedOut,
  verdictOf,
} from './steps.ts'

const unavailable = { status: 503, code: 'closed_for_a_moment', response: { 'retry-after': '1' } }

describe('repeats', () => {
  const rule = 'repeats'
  const explanations = (...steps: Step[]) => resultOf(rule, steps).violations.map(({ explanation }) => explanation)

  test('the same token and body pass, after a lost response, a timeout or an error, also beside other loans', () => {
    expect(verdictOf(rule, lend('a', { status: null }), lend('a'))).toBe('passed')
    expect(verdictOf(rule, lend('a', timedOut), lend('a', { wait: 2_000 }))).toBe('passed')
    expect(verdictOf(rule, lend('a', { status: 500 }), lend('b'), lend('a'))).toBe('passed')
  })

  test('a repeat without a token is one finding, however many tries there are', () => {
    expect(brokenBy(rule, lend(undefined, { status: null }), lend(undefined))).toEqual([[1, 2]])
    expect(brokenBy(rule, lend(undefined, timedOut), lend(undefined, { wait: 1 }))).toEqual([[1, 2]])
    const many = [lend(undefined, { status: null }), lend(undefined, { status: 500 }), lend(undefined)]
    expect(brokenBy(rule, ...many)).toEqual([[1, 2, 3]])
    expect(explanations(...many)).toEqual([
      'Request 1, POST /loans, got no response, and requests 2 and 3 sent it again without a Request-Token: it may be done more than once.',
    ])
  })

  test('a token for each try is one finding, and no other rule contradicts it', () => {
    const steps = [lend('a', { status: null }), lend('b', unavailable), lend('c', { status: null }), lend('d')]
    expect(brokenBy(rule, ...steps)).toEqual([[1, 2, 3, 4]])
    expect(explanations(...steps)[0]).toContain('under another Request-Token each time')
    expect(verdictOf('retries', ...steps)).toBe('passed')
    expect(explanations(lend(undefined, { status: null }), lend('a'))[0]).toContain(
      'sent it again with a Request-Token that it did not have before',
    )
  })

  test('a lost change without a token that the client gave up on is a finding, unless it reads what was done', () => {
    expect(brokenBy(rule, lend(undefined, { status: null }), list)).toEqual([[1]])
    expect(explanations(lend(undefined, timedOut))).toEqual([
      'Request 1, POST /loans, got no response in time and was not sent again: the client cannot know whether it was done. With a Request-Token it could send it again safely.',
    ])
    expect(verdictOf(rule, lend(undefined, { status: 503, code: 'who_knows' }))).toBe('failed')
    expect(verdictOf(rule, lend(undefined, { status: null }), { call: 'GET /loans?book=1' })).toBe('not_seen')
    expect(verdictOf(rule, lend('a', { status: null }))).toBe('not_seen')
    expect(verdictOf(rule, lend(undefined, { status: 500 }))).toBe('not_seen')
  })

  test('another body under the same token is a finding, also if the first was not done', () => {
    const other = lend('a', { body: '{"book":2}', status: 422, code: 'token_reused' })
    expect(brokenBy(rule, lend('a', { status: null }), other)).toEqual([[2]])
    const accepted = [lend('a', { status: null }), lend('a', { body: '{"book":2}' })]
    expect(brokenBy(rule, ...accepted)).toEqual([[1, 2]])
    expect(explanations(...accepted)).toEqual([
      'Request 1, POST /loans, got no response, and request 2 sent its Request-Token with another body.',
    ])
    expect(verdictOf(rule, lend('a', unavailable), lend('a', { body: '{"book":2}' }))).not.toBe('failed')
  })

  test('a rejection or a doubt that was simulated or asked for accuses no one', () => {
    const reused = { status: 422, code: 'token_reused' }
    expect(verdictOf(rule, lend('a', reused))).toBe('failed')
    expect(verdictOf(rule, lend('a', { ...reused, fault: 'token_reused' }))).toBe('not_seen')
    for (const prefer of ['code=token_reused', 'Code = "token_reused"', 'respond-async, code=422']) {
      const headers = { prefer, 'request-token': 'a' }
      expect([prefer, verdictOf(rule, lend('a', { ...reused, headers }))]).toEqual([prefer, 'not_seen'])
    }
    const unknown = { status: 503, code: 'who_knows', headers: { prefer: 'code=who_knows' } }
    expect(verdictOf(rule, lend(undefined, unknown))).toBe('not_seen')
    expect(verdictOf(rule, lend('a', { ...reused, headers: { prefer: 'x-code=1', 'request-token': 'a' } }))).toBe(
      'failed',
    )
  })

  test('a new token after the wait that was asked for is a finding, however long that was', () => {
    const unknown = { status: 503, code: 'who_knows', response: { 'retry-after': '30' } }
    expect(brokenBy(rule, lend('a', unknown), lend('b', { wait: 30_020 }))).toEqual([[1, 2]])
    expect(verdictOf(rule, lend('a', unknown), lend('b', { wait: 20_000 }))).toBe('not_seen')
    expect(verdictOf(rule, lend('a', unknown), lend('a', { wait: 30_020 }))).toBe('passed')
  })

  test('a response that was asked for leaves no doubt about the next loan', () => {
    const asked = { status: 500, headers: { prefer: 'code=500', 'request-token': 'a' } }
    expect(verdictOf(rule, lend('a', asked), lend('b'))).toBe('not_seen')
    expect(verdictOf(rule, lend(undefined, { ...asked, headers: { prefer: 'code=500' } }), lend(undefined))).toBe(
      'not_seen',
    )
  })

  test('reading what was done settles the doubt: what follows is a new loan', () => {
    const read: Step = { call: 'GET /loans?book=1' }
    expect(verdictOf(rule, lend(undefined, { status: null }), read, lend(undefined))).toBe('not_seen')
    expect(verdictOf(rule, lend(undefined, { status: null }), { ...read, status: 404 }, lend(undefined))).toBe(
      'not_seen',
    )
    expect(brokenBy(rule, lend(undefined, { status: null }), { ...read, status: 500 }, lend(undefined))).toEqual([
      [1, 3],
    ])
    expect(brokenBy(rule, lend(undefined, { status: null }), lend(undefined), read)).toEqual([[1, 2]])
    // Another client's read tells it nothing.
    expect(brokenBy(rule, lend(undefined, { status: null }), { ...read, client: 2 }, lend(undefined))).toEqual([[1, 3]])
  })

  test('a change can be read where it belongs, above, below, or in the news', () => {
    const renew = { call: 'POST /members/7/renewals', body: '{}', status: null }
    for (const call of ['GET /members/7', 'GET /members/7/renewals', 'GET /members/7/fees', 'HEAD /members'])
      expect([call, verdictOf(rule, renew, { call })]).toEqual([call, 'not_seen'])
    for (const call of ['GET /members/70', 'GET /news', 'GET /'])
      expect([call, verdictOf(rule, renew, { call })]).toEqual([call, 'failed'])
    expect(verdictOf(rule, renew, { call: 'GET /news', operation: 'listNews' })).toBe('not_seen')
    const batch = { ...renew, call: 'POST /loans/batch' }
    expect(verdictOf(rule, batch, { call: 'GET /loans' })).toBe('not_seen')
    expect(verdictOf(rule, lend(undefined, { status: null }), { call: 'GET /loansomething/99' })).toBe('failed')
  })

  test('a client that may still send it again has not given up', () => {
    const lost = lend(undefined, { status: null })
    const { rules, undecided } = judge(historyOf(exchangesOf([lost]), { readAfter: 2_000 }), library)
    expect([undecided, rules.find((result) => result.rule === rule)?.verdict]).toEqual([1, 'not_seen'])
    expect(resultOf(rule, [lost], { readAfter: 10_000 }).verdict).toBe('failed')
  })

  test('after a response which says that nothing was done no token is needed', () => {
    expect(verdictOf(rule, lend(undefined, unavailable), lend(undefined))).toBe('not_seen')
    expect(verdictOf(rule, lend('a', unavailable), lend('b'))).toBe('not_seen')
    expect(verdictOf(rule, lend('a', unavailable), lend('a'))).toBe('passed')
    expect(verdictOf(rule, lend(undefined, { status: 429 }), lend(undefined, { wait: 30_000 }))).toBe('not_seen')
  })

  test('a client that makes the same loan again and again, each under its token, repeats none', () => {
    const given = lend('b', { status: null })
    expect(verdictOf(rule, lend('a'), given, lend('c'))).toBe('not_seen')
    expect(verdictOf(rule, given, lend('c'), lend('d'))).toBe('not_seen')
    expect(verdictOf(rule, given, lend('c', { wait: -3 }), lend('d'))).toBe('not_seen')
    expect(verdictOf(rule, lend('a'), given, lend('c'), lend('b'))).toBe('passed')
    expect(brokenBy(rule, lend('a'), given, lend('c', { wait: 11_000 }))).toEqual([])
    expect(brokenBy(rule, lend('a'), { ...given, wait: 11_000 }, lend('c'))).toEqual([[2, 3]])
  })

  test('two loans that both succeed are two loans, and so is one that comes much later', () => {
    expect(verdictOf(rule, lend(undefined), lend(undefined))).toBe('not_seen')
    expect(verdictOf(rule, lend('a', { status: null }), lend('b', { wait: 30_000 }))).toBe('not_seen')
    // The same for another member, after the client gave up on one that it had repeated.
    const given = Array(3).fill(lend('a', { status: null }))
    expect(verdictOf(rule, ...given, lend('b'))).toBe('passed')
  })

  test('what counts is what was sent after the response was lost', () => {
    expect(verdictOf(rule, lend('a', unavailable), lend('b', { status: null }), lend('b'))).toBe('passed')
  })

  test('a body that is written anew for each try says the same, but for the time', () => {
    const at = (seconds: number) => new Date(startMs + 1_000 * seconds)
    const dated = (due: Date, more: Partial<Step> = {}, token?: string) =>
      lend(token, { ...more, body: `{"book":1,"due":"${due.toISOString()}"}` })
    const day = 86_400
    expect(brokenBy(rule, dated(at(1 + day), { status: null }), dated(at(2 + day)))).toEqual([[1, 2]])
    expect(brokenBy(rule, dated(at(1), { status: null }, 'a'), dated(at(2), {}, 'b'))).toEqual([[1, 2]])
    // Written once, and sent again later.
    expect(brokenBy(rule, dated(at(1), { status: null }), dated(at(1), { wait: 20_000 }))).toEqual([[1, 2]])
    const [may, june] = ['2027-05-01T09:00:00Z', '2027-06-01T09:00:00Z'].map((due) => new Date(due)) as [Date, Date]
    expect(brokenBy(rule, dated(may, { status: null }), dated(june))).toEqual([[1]])
    expect(verdictOf(rule, dated(may, { status: null }, 'a'), dated(june, {}, 'b'))).toBe('not_seen')
    expect(verdictOf('retries', dated(at(1 + day), unavailable), dated(at(3 + day), { wait: 2_000 }))).toBe('passed')
    expect(verdictOf('retries', dated(may, unavailable), dated(june, { wait: 2_000 }))).toBe('failed')
  })

  test('sending everything twice is no careful repeat', () => {
    expect(verdictOf(rule, lend('a'), lend('a'), lend('b', { status: 400, body: '{}' }))).toBe('not_seen')
  })
})

describe('retries', () => {
  const rule = 'retries'

  test('what passes with time is sent again, if only once', () => {
    expect(verdictOf(rule, list)).toBe('not_seen')
    expect(verdictOf(rule, closed, list)).toBe('passed')
    expect(verdictOf(rule, closed, closed, closed)).toBe('passed')
    expect(brokenBy(rule, closed)).toEqual([[1]])
  })

  test('what may stay as it is can be sent again or given up', () => {
    for (const step of [{ status: 500, code: 'broken' }, { status: 502 }, { status: 409, code: 'still_busy' }]) {
      expect([step, verdictOf(rule, { ...list, ...step })]).toEqual([step, 'not_seen'])
      expect([step, verdictOf(rule, { ...list, ...step }, list)]).toEqual([step, 'not_seen'])
    }
  })

  test('a client that reads at a pace, and ends before its next turn, has not given up', () => {
    const reads = (...waits: number[]) => waits.map((wait) => ({ ...list, wait }))
    expect(verdictOf(rule, ...reads(1, 700, 900), { ...closed, wait: 705 })).toBe('not_seen')
    expect(verdictOf(rule, ...reads(1, 700), { ...closed, wait: 700 })).toBe('failed')
    expect(verdictOf(rule, ...reads(1, 700, 5_000, 20_000), { ...closed, wait: 100 })).toBe('failed')
  })

  test('a client may give up rather than wait for minutes', () => {
    expect(verdictOf(rule, { ...closed, response: { 'retry-after': '3600' } })).toBe('not_seen')
  })

  test('a client that still waits as long as Retry-After says has not given up', () => {
    const patient = { ...closed, response: { 'retry-after': '20' } }
    expect(resultOf(rule, [patient], { readAfter: 22_000 }).verdict).toBe('not_seen')
    expect(resultOf(rule, [patient], { readAfter: 26_000 }).verdict).toBe('failed')
  })

  test('an edit of a newer version, a list from its first page, or the successor is no giving up', () => {
    const edit = { call: 'PATCH /books/7', body: '{}' }
    const [one, two] = ['"1"', '"2"'].map((etag) => ({ ...edit, headers: { 'if-match': etag } }))
    expect(verdictOf(rule, { ...one, ...unavailable } as Step, { call: 'GET /books/7' }, two as Step)).toBe('not_seen')
    expect(verdictOf(rule, { ...closed, call: 'GET /books?after=x' }, list)).toBe('not_seen')
    expect(verdictOf(rule, lend('a', unavailable), lend('b', { body: '{"book":2}' }))).toBe('failed')
    const link = '<http://library/books/7/page>; rel="successor-version"'
    const old = { ...closed, call: 'GET /book/7', response: { 'retry-after': '2', link } }
    expect(verdictOf(rule, old, { call: 'GET /books/7/page' })).toBe('passed')
  })

  test('an error that the client asked for need not be sent again', () => {
    expect(verdictOf(rule, { ...closed, headers: { prefer: 'code=503' } })).toBe('not_seen')
  })

  test('under its token a change is the same, though its body may be written anew', () => {
    const dated = (second: number) => ({ body: `{"book":1,"sentAt":${second}}` })
    const steps = [lend('a', { ...unavailable, ...dated(1) }), lend('a', { wait: 2_000, ...dated(3) })]
    expect(verdictOf('retries', ...steps)).toBe('passed')
    expect(verdictOf('repeats', ...steps)).toBe('passed')
    expect(verdictOf('retries', lend('a', unavailable), lend('b', dated(1)))).toBe('failed')
  })

  test('a change without a token that is given up is one finding, which says what makes it safe', () => {
    const given = resultOf(rule, [lend(undefined, unavailable)])
    expect(given.violations.map(({ explanation }) => explanation)).toEqual([
      'Request 1, a POST without a Request-Token, got 503 closed_for_a_moment and was not sent again: with a Request-Token that is safe.',
    ])
    expect(verdictOf('repeats', lend(undefined, unavailable))).toBe('not_seen')
    expect(verdictOf(rule, lend(undefined, unavailable), lend(undefined))).toBe('passed')
  })

  test('the advice names the codes of the API', () => {
    expect(resultOf(rule, [closed]).advice).toBe(
      'Send the same request again after closed_for_a_moment. With a Request-Token, that is safe for POST too. After still_busy, broken or 502, or without a response, you may.',
    )
  })
})

describe('rejections', () => {
  const rule = 'rejections'
  const missing: Step = { call: 'GET /books/99', status: 404, code: 'no_such_book' }

  test('a 4xx that is left alone passes, one that is sent again and again fails', () => {
    expect(verdictOf(rule, list)).toBe('not_seen')
    expect(verdictOf(rule, missing, list)).toBe('passed')
    const many = [missing, missing, { ...missing, wait: 2_000 }, { ...missing, wait: 4_000 }]
    expect(brokenBy(rule, ...many)).toEqual([[1, 2, 3, 4]])
    expect(resultOf(rule, many).violations[0]?.explanation).toBe(
      'Requests 1, 2, 3 and 4 are the same, and each got 404 no_such_book.',
    )
    expect(brokenBy(rule, ...Array(20).fill({ ...missing, wait: 11_000 }))).toHaveLength(1)
    const tokens = ['a', 'b', 'c', 'd'].map((token) => lend(token, { status: 400, wait: 500 }))
    expect(brokenBy(rule, ...tokens)).toEqual([[1, 2, 3, 4]])
  })

  test('a body that is not known completely may have been corrected', () => {
    const rejected = lend(undefined, { status: 422, wait: 500 })
    expect(verdictOf(rule, ...Array(4).fill({ ...rejected, bodyCut: true }))).toBe('passed')
    expect(verdictOf(rule, ...Array(4).fill(rejected))).toBe('failed')
  })

  test('what appears in the end was waited for, whatever came in between', () => {
    const polls = [0, 1_000, 2_000, 4_000].map((wait) => ({ ...missing, wait }))
    const found = { ...missing, status: 200, wait: 8_000 }
    const write: Step = { call: 'POST /news', status: 201, wait: 3_000 }
    expect(verdictOf(rule, ...polls, write, { ...missing, wait: 5_000 }, found)).not.toBe('failed')
    expect(verdictOf(rule, ...polls, { ...closed, call: missing.call }, found)).not.toBe('failed')
    expect(verdictOf(rule, ...polls, write)).toBe('failed')
  })

  test('a few may come from several callers, or wait for something to appear', () => {
    expect(verdictOf(rule, missing, { ...missing, wait: 5_000 })).toBe('not_seen')
    expect(verdictOf(rule, lend(undefined, { status: 409 }), lend(undefined, { status: 409, wait: 3_000 }))).toBe(
      'not_seen',
    )
    const polls = Array(6).fill({ ...missing, wait: 2_000 })
    expect(verdictOf(rule, ...polls, { ...missing, status: 200 })).toBe('not_seen')
    expect(verdictOf(rule, ...polls)).toBe('not_seen')
    const late = [0, 100, 700, 50, 1_500, 80].map((lateMs) => ({ ...missing, wait: 1_000 + lateMs }))
    expect(verdictOf(rule, ...late)).toBe('not_seen')
    expect(verdictOf(rule, ...polls, ...polls)).toBe('failed')
    expect(verdictOf(rule, ...polls.map((poll) => ({ ...poll, status: 400 })))).toBe('failed')
    expect(verdictOf(rule, ...polls.map((poll) => ({ ...poll, wait: 100 })))).toBe('failed')
    expect(verdictOf(rule, ...Array(6).fill({ ...missing, wait: -4 }))).not.toBe('failed')
  })

  test('each of several callers may be rejected, under a name of its own', () => {
    const waits = [0, 500, 1_400, 90, 700]
    const sold = (status: number, token: (index: number) => string | undefined) =>
      waits.map((wait, index) => lend(token(index), { status, wait }))
    expect(verdictOf(rule, ...sold(409, (index) => `order ${index}`))).toBe('not_seen')
    expect(verdictOf(rule, ...sold(409, () => 'order'))).toBe('failed')
    const oneRepeats = [...sold(409, () => 'stubborn'), ...sold(409, (index) => `order ${index}`)]
    expect(brokenBy(rule, ...oneRepeats)).toEqual([[1, 2, 3, 4, 5]])
    expect(verdictOf(rule, ...sold(409, () => undefined))).toBe('failed')
    // No caller can make these valid.
    expect(verdictOf(rule, ...sold(400, (index) => `order ${index}`))).toBe('failed')
  })

  test('what the client asked for is no rejection', () => {
    expect(verdictOf(rule, ...Array(4).fill({ ...list, headers: { prefer: 'code=404' }, status: 404 }))).toBe(
      'not_seen',
    )
  })

  test('a response that the client did not wait for rejects nothing', () => {
    const slow = lend('a', { status: null, received: 'abandoned', took: 700 })
    expect(verdictOf(rule, slow, lend('a', { wait: 2_000, status: 400, code: 'bad' }))).toBe('passed')
    expect(verdictOf(rule, slow, lend('a', { wait: 2_000 }))).toBe('not_seen')
  })

  test('what passes with time, 412 and 401 are no rejections for good', () => {
    for (const step of [limited, closed, { ...list, status: 409, code: 'still_busy' }])
      expect([step.code, verdictOf(rule, step, step)]).toEqual([step.code, 'not_seen'])
    for (const status of [401, 412]) expect(verdictOf(rule, { ...list, status }, { ...list, status })).toBe('not_seen')
  })

  test('after a change, after a while or with other headers it was no blind retry', () => {
    const many = (step: Step, between: Step[] = []) =>
      [1, 2, 4, 8].flatMap((wait) => [{ ...step, wait: (step.wait ?? 1_000) * wait }, ...between])
    expect(verdictOf(rule, ...many(missing, [{ call: 'POST /books', status: 201 }]))).toBe('passed')
    expect(verdictOf(rule, ...many(missing, [lend('a', { status: null })]))).toBe('passed')
    expect(verdictOf(rule, ...many({ ...missing, wait: 61_000 }))).toBe('passed')
    expect(verdictOf(rule, ...many(missing, [{ ...missing, headers: { accept: 'text/csv' }, status: 200 }]))).toBe(
      'failed',
    )
    const types = ['a/b', 'c/d', 'e/f', 'g/h'].map((accept) => ({ ...missing, headers: { accept } }))
    expect(verdictOf(rule, ...types)).toBe('passed')
  })
})
