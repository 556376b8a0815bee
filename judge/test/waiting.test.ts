import { describe, expect, test } from 'bun:test'
import { keep } from '../src/kept.ts'
import {
  brokenBy,
  exchangesOf,
  historyOf,
  lend,
  library,
  limited,
  list,
  lost,
  resultOf,
  type Step,
  startMs,
  closed as unavailable,
  verdictOf,
} from './steps.ts'

describe('retry-after', () => {
  const rule = 'retry-after'

  test('a caller that still waits when requests are judged for good is not accused', () => {
    const rejected: Step = { ...unavailable, response: { 'retry-after': '30' }, wait: 25 }
    const other: Step = { ...list, wait: 25 }
    const steps = [rejected, other, rejected, other]
    const now = historyOf(exchangesOf(steps), { readAfter: 1_000 })
    expect(keep({}, now, library, () => true)[rule]?.violationCount).toBe(2)
    expect(keep({}, { ...now, goesOn: true }, library, () => true)[rule]?.violationCount ?? 0).toBe(0)
    const { call, ...answer } = rejected
    const named = [lend('a', { ...answer, operation: 'lend' }), lend('a')]
    const certain = historyOf(exchangesOf(named), { readAfter: 1_000 })
    expect(keep({}, { ...certain, goesOn: true }, library, () => true)[rule]?.violationCount).toBe(1)
    const later = historyOf(exchangesOf(steps), { readAfter: 30_000 })
    expect(keep({}, { ...later, goesOn: true }, library, () => true)[rule]?.violationCount).toBe(2)
  })

  test('a client that waits that long passes, by its own clock or by one that a test moves', () => {
    expect(verdictOf(rule, limited, { ...list, wait: 30_000 })).toBe('passed')
    expect(verdictOf(rule, limited, { ...list, wait: 1, advance: 30_010 })).toBe('passed')
    expect(verdictOf(rule, unavailable, { ...list, wait: 2_000 })).toBe('passed')
    // A timer may end a little early.
    expect(verdictOf(rule, unavailable, { ...list, wait: 1_960 })).toBe('passed')
  })

  test('a wait by a clock that stands still is as long as that was moved, however slow a request is', () => {
    const slow = { ...unavailable, wait: 0, advance: 2_000, took: 400, isFrozen: true } as const
    expect(verdictOf(rule, slow, slow, slow)).toBe('passed')
  })

  test('a read that comes too early twice fails, and so does the same change once', () => {
    const again = { ...unavailable, wait: 300 }
    expect(brokenBy(rule, unavailable, again, { ...list, wait: 300 })).toEqual([
      [1, 2],
      [2, 3],
    ])
    expect(brokenBy(rule, limited, { ...limited, wait: 20 }, { ...list, wait: 20 })).toHaveLength(2)
    const calls = ['/books', '/shelves'].flatMap((path) =>
      [again, list].map((step) => ({ ...step, call: `GET ${path}` })),
    )
    expect(brokenBy(rule, ...calls.map((step) => ({ ...step, wait: 300 })))).toEqual([
      [1, 2],
      [3, 4],
    ])
    const moment = { status: 503, response: { 'retry-after': '2' } }
    expect(brokenBy(rule, lend('a', moment), lend('b', { wait: 10 }))).toEqual([[1, 2]])
    expect(brokenBy(rule, lend('a', moment), lend('a', { wait: 1_500 }))).toEqual([[1, 2]])
  })

  test('another caller may want the same, so a pair of reads proves nothing', () => {
    expect(verdictOf(rule, unavailable, { ...list, wait: 300 })).toBe('not_seen')
    expect(verdictOf(rule, unavailable, { ...unavailable, wait: 10 }, { ...list, wait: 2_500 })).toBe('not_seen')
    const moment = { status: 503, response: { 'retry-after': '5' } }
    expect(verdictOf(rule, lend('a', moment), lend('b', { wait: 3_000 }))).toBe('not_seen')
    // Two callers, each of which waited, and one that gave up meanwhile.
    const callers = [unavailable, { ...unavailable, wait: 300 }, { ...list, wait: 1_700 }, { ...list, wait: 300 }]
    expect(verdictOf(rule, ...callers)).not.toBe('failed')
    // Two users load the same two pages while they cannot be served.
    const page = ['/books', '/shelves'].map((path) => ({ ...unavailable, call: `GET ${path}`, wait: 10 }))
    expect(verdictOf(rule, ...page, { ...list, call: 'GET /news', wait: 300 }, ...page)).toBe('not_seen')
  })

  test('two reads side by side that both have to wait need one repeat that did', () => {
    const beside = { ...unavailable, wait: -3 }
    expect(verdictOf(rule, unavailable, beside, { ...list, wait: 2_200 })).toBe('passed')
    expect(verdictOf(rule, unavailable, beside, { ...list, wait: 2_200 }, { ...list, wait: 10 })).toBe('passed')
  })

  test('where a header says exactly when a limit resets, that counts: Retry-After is rounded up', () => {
    const resetSeconds = Math.ceil((startMs + 1_000) / 1000) + 2
    const left = resetSeconds * 1000 - (startMs + 1_000) - 5
    const told = { ...limited, response: { 'retry-after': '3', 'limit-reset': String(resetSeconds) } }
    expect(left).toBeLessThan(2_000)
    expect(
      verdictOf(rule, { ...told, response: { ...told.response, 'retry-after': '2' } }, { ...list, wait: left }),
    ).toBe('passed')
    // That is no reason to wait a second less.
    expect(verdictOf(rule, told, { ...list, wait: left })).toBe('failed')
  })

  test('a date says how long to wait too', () => {
    const arrivedMs = startMs + 1_000
    const date = (ms: number) => new Date(arrivedMs + ms).toUTCString()
    const until = { ...unavailable, response: { 'retry-after': date(10_000), date: date(0) } }
    expect(verdictOf(rule, until, { ...until, wait: 300 }, { ...list, wait: 300 })).toBe('failed')
    expect(verdictOf(rule, until, { ...list, wait: 10_000 })).toBe('passed')
    // A client may read the date by the clock of its machine, while the clock of the API was moved a day ahead.
    const dayMs = 86_400_000
    const ahead = { 'retry-after': date(dayMs + 10_000), date: date(dayMs) }
    expect(verdictOf(rule, { ...until, advance: dayMs, response: ahead }, { ...list, wait: 10_000 })).toBe('passed')
    expect(verdictOf(rule, { ...until, response: { 'retry-after': 'soon' } }, { ...list, wait: 20 })).toBe('not_seen')
    // By the clock of the machine, a date of a clock that is behind is over.
    const behind = { ...until, response: { 'retry-after': date(10_000 - dayMs), date: date(-dayMs) }, advance: -dayMs }
    const early = { ...behind, wait: 300, advance: 0 }
    expect(verdictOf(rule, behind, early, { ...list, wait: 300 })).toBe('not_seen')
    expect(verdictOf(rule, behind, { ...list, wait: 10_000 })).toBe('passed')
  })

  test('after a 429 any other request of the client is too early, except one that has its own limit', () => {
    const other: Step = { call: 'GET /shelves', operation: 'listShelves', wait: 5_000 }
    expect(brokenBy(rule, limited, other)).toEqual([[1, 2]])
    expect(verdictOf(rule, limited, { ...other, client: 2 })).toBe('not_seen')
    expect(verdictOf(rule, limited, { call: 'GET /limits', operation: 'readLimits', wait: 5_000 })).toBe('not_seen')
    expect(verdictOf(rule, unavailable, other)).toBe('not_seen')
  })

  test('a 429 of what has its own limit is about that only', () => {
    const own: Step = { ...limited, call: 'GET /limits', operation: 'readLimits' }
    expect(verdictOf(rule, own, { ...list, wait: 5_000 })).toBe('not_seen')
    expect(brokenBy(rule, own, { ...own, wait: 500 }, { ...own, wait: 500 })).not.toEqual([])
  })

  test('a 429 that leaves room is about calls that need more', () => {
    const batch = (left: string): Step => ({
      ...limited,
      call: 'POST /books/batch',
      response: { ...limited.response, 'limit-remaining': left },
    })
    expect(verdictOf(rule, batch('12'), { ...list, wait: 2_000 })).toBe('not_seen')
    expect(verdictOf(rule, batch('0'), { ...list, wait: 2_000 })).toBe('failed')
    expect(brokenBy(rule, batch('12'), { ...batch('12'), wait: 500 })).toEqual([[1, 2]])
    // Another one that is too large came too early.
    const other = { ...batch('12'), call: 'POST /books/batch', body: '[]', wait: 2_000 }
    expect(brokenBy(rule, batch('12'), { ...list, wait: 2_000 }, other)).toEqual([[1, 3]])
    const own = { ...batch('12'), call: 'GET /limits', operation: 'readLimits' }
    expect(verdictOf(rule, own, { ...own, wait: 500 }, { ...own, wait: 500 })).toBe('failed')
  })

  test('a limit that someone has lifted is over', () => {
    const lift: Step = { call: 'DELETE /members/1/ban', operation: 'forgive', client: 2, status: 204, wait: 3_000 }
    const next = { ...list, wait: 3_000 }
    expect(brokenBy(rule, limited, next)).toEqual([[1, 2]])
    expect(verdictOf(rule, limited, lift, next)).toBe('not_seen')
    expect(brokenBy(rule, limited, next, lift, next)).toEqual([[1, 2]])
    expect(verdictOf(rule, limited, { ...lift, status: 403 }, next)).toBe('failed')
    expect(verdictOf(rule, { ...limited, fault: 'too_many' }, lift, next)).toBe('failed')
  })

  test('a rejection that the client asked for is about that request only', () => {
    const asked = { ...limited, headers: { prefer: 'code=429' } }
    expect(verdictOf(rule, asked, { call: 'GET /loans', wait: 2_000 })).not.toBe('failed')
    expect(brokenBy(rule, asked, asked, asked)).not.toEqual([])
    const each = ['429', '503', '500', 'closed'].map((code) => ({
      ...limited,
      headers: { prefer: `code=${code}` },
      wait: 3,
    }))
    expect(verdictOf(rule, ...each, ...each)).not.toBe('failed')
  })

  test('requests that were on their way when another was rejected are no offence', () => {
    const beside = ['/books/1', '/books/2'].map((path) => ({ call: `GET ${path}`, wait: 100 }))
    expect(verdictOf(rule, limited, ...beside, { ...list, wait: 30_000 })).toBe('passed')
    // A queue of reads of the same few, through several connections: none is a retry.
    const queue = Array.from({ length: 40 }, (_, index) => ({
      ...{ ...limited, call: `GET /books/${index % 10}` },
      wait: index % 6 === 0 ? 5 : -4,
    }))
    expect(verdictOf(rule, ...queue)).toBe('not_seen')
    // The same list, asked for three times side by side: one was rejected, and its retry waited.
    expect(verdictOf(rule, unavailable, { ...list, wait: 0 }, { ...list, wait: 0 }, { ...list, wait: 2_000 })).toBe(
      'passed',
    )
  })

  test('a rejection without a later request that had to wait, or one that the client did not receive, is no evidence', () => {
    expect(verdictOf(rule, list, limited)).toBe('not_seen')
    expect(verdictOf(rule, unavailable, { ...list, call: 'GET /shelves', wait: 20_000 })).toBe('not_seen')
    expect(verdictOf(rule, limited, { ...list, call: 'GET /shelves', wait: 200 })).toBe('not_seen')
    expect(verdictOf(rule, { ...limited, received: 'abandoned', status: null }, { ...list, wait: 20 })).toBe('not_seen')
  })
})

describe('bans', () => {
  const rule = 'bans'
  const banned: Step = { ...list, status: 429, code: 'banned', response: { 'retry-after': '120' } }

  test('a limited client passes, a banned one fails once, a simulated ban counts for nothing', () => {
    expect(verdictOf(rule, list)).toBe('not_seen')
    expect(verdictOf(rule, limited)).toBe('passed')
    expect(brokenBy(rule, limited, banned, banned)).toEqual([[2, 3]])
    expect(verdictOf(rule, { ...banned, fault: 'banned' })).toBe('passed')
  })

  test('a ban for what was sent at once, before any limit was known, is no finding', () => {
    const burst = Array.from({ length: 50 }, (_, index) => ({ ...(index < 30 ? limited : banned), wait: -4 }))
    expect(verdictOf(rule, ...burst)).toBe('not_seen')
  })
})

/** Tries of one call, all but the last of which fail. */
const tries = (path: string, ...waits: number[]): Step[] =>
  [1_000, ...waits].map((wait, index) => ({ call: `GET ${path}`, wait, status: index < waits.length ? null : 200 }))

describe('back-off', () => {
  const rule = 'back-off'
  const shortly = (path: string) => tries(path, 6, 6, 24)

  test('waits that grow pass, with jitter or without', () => {
    expect(verdictOf(rule, ...tries('/books', 200, 400, 800, 1_600))).toBe('passed')
    expect(verdictOf(rule, ...tries('/books', 200, 400, 800), ...tries('/shelves', 200, 400, 800))).toBe('passed')
    const random = [
      [180, 290, 900],
      [40, 410, 700],
      [110, 60, 1_400],
    ]
    expect(verdictOf(rule, ...random.flatMap((waits, index) => tries(`/books/${index}`, ...waits)))).toBe('passed')
  })

  test('random waits that do not grow prove no growth', () => {
    expect(verdictOf(rule, ...tries('/books', 700, 1_400, 900), ...tries('/shelves', 600, 500, 1_300))).toBe('not_seen')
  })

  test('a client that does not wait fails, where it stopped at the first response', () => {
    expect(brokenBy(rule, ...shortly('/books'), ...shortly('/shelves'))).toHaveLength(1)
    expect(resultOf(rule, tries('/books', 3, 2, 3)).violations[0]?.explanation).toBe(
      'The client hardly waited at all before the retries of one call: 3 ms, 2 ms, 3 ms.',
    )
    // Several callers at once, of which one got a response.
    const callers = [3, 3, 3, 3].map((wait) => ({ call: 'GET /books', wait }))
    expect(verdictOf(rule, ...tries('/books', 3, 2, 3), ...callers)).toBe('not_seen')
    const unanswered = [5, 2, 9, 3, 30, 2, 9].map((wait) => ({ ...lost, wait }))
    expect(verdictOf(rule, ...unanswered)).toBe('not_seen')
  })

  test('errors that the client asked for, one after the other, are no tries', () => {
    const asked = { ...list, status: 500, headers: { prefer: 'code=500' }, wait: 2 }
    expect(verdictOf(rule, asked, asked, asked, asked, { ...list, wait: 2 })).toBe('not_seen')
  })

  test('waits that are always the same fail', () => {
    expect(brokenBy(rule, ...tries('/books', 1_000, 1_003, 999, 1_001))).toEqual([[1, 2, 3, 4, 5]])
    expect(brokenBy(rule, ...tries('/books', 200, 203, 199), ...tries('/shelves', 201, 200, 202))).toHaveLength(1)
  })

  test('many short waits that do not grow fail, though they are not the same', () => {
    const between = (from: number, to: number, count: number) =>
      tries('/books', ...Array.from({ length: count }, (_, index) => from + ((index * 7) % (to - from + 1))))
    for (const [from, to, count] of [
      [20, 26, 10],
      [30, 40, 10],
      [45, 60, 20],
      [90, 130, 20],
    ] as const)
      expect([from, verdictOf(rule, ...between(from, to, count))]).toEqual([from, 'failed'])
  })

  test('who asks at a pace, whatever the response, is not judged', () => {
    const poll = (everyMs: number, ...statuses: number[]) =>
      statuses.map((status) => ({ ...list, status, wait: everyMs }))
    expect(verdictOf(rule, ...poll(1_500, 500, 500, 500, 500, 200, 200))).toBe('not_seen')
    expect(verdictOf(rule, ...poll(1_500, 200, 200, 500, 500, 500, 500, 500))).toBe('not_seen')
    for (const everyMs of [2_000, 10_000, 30_000, 60_000])
      expect(verdictOf(rule, ...poll(everyMs, 500, 500, 500, 500, 500, 200))).toBe('not_seen')
    const outages = [1, 2, 3].flatMap(() => poll(30_000, 200, 200, 500, 500, 500, 500))
    expect([verdictOf(rule, ...outages), verdictOf('jitter', ...outages)]).toEqual(['not_seen', 'not_seen'])
  })

  test('an error of the API itself is a failure too; one with Retry-After is another rule’s', () => {
    const failing = tries('/books', 300, 300, 300, 300).map((step) =>
      step.status === null ? { ...step, status: 500 } : step,
    )
    expect(verdictOf(rule, ...failing)).toBe('failed')
    expect(verdictOf(rule, ...Array(5).fill({ ...unavailable, wait: 2_000 }))).toBe('not_seen')
  })

  test('a client that waited for a response which did not come has waited', () => {
    const slow = { ...lost, received: 'abandoned', took: 5_000, wait: 2 } as const
    expect(verdictOf(rule, slow, slow, slow, slow, { ...list, wait: 2 })).toBe('not_seen')
  })

  test('a fixed wait that a busy machine makes longer neither passes nor fails', () => {
    expect(verdictOf(rule, ...tries('/books', 250, 300, 330))).toBe('not_seen')
    // A stall in one call of three.
    const steady = [...tries('/books', 250, 290, 255), ...tries('/shelves', 251, 260, 300)]
    expect(verdictOf(rule, ...steady, ...tries('/loans', 250, 600, 250))).toBe('not_seen')
  })

  test('few retries, or callers side by side, tell nothing', () => {
    expect(verdictOf(rule, ...tries('/books', 1))).toBe('not_seen')
    expect(verdictOf(rule, ...tries('/books', 200, 200))).toBe('not_seen')
    expect(verdictOf(rule, ...tries('/books', 200, 202, 204))).toBe('not_seen')
    const beside = [lost, { ...lost, wait: -4 }, { ...lost, wait: -4 }, { ...lost, wait: -4 }, { ...list, wait: -4 }]
    expect(verdictOf(rule, ...beside)).toBe('not_seen')
    // One handled after the other, at once.
    expect(verdictOf(rule, ...Array(5).fill({ ...lost, wait: 1 }), { ...list, wait: 1 })).toBe('not_seen')
  })

  test('a stream that is opened again at once is no retry', () => {
    const watch = { call: 'GET /watch', operation: 'watch', status: null, wait: 2 }
    expect(verdictOf(rule, watch, watch, watch, watch, watch)).toBe('not_seen')
  })
})

describe('jitter', () => {
  const rule = 'jitter'
  const calls = (...waits: number[][]) => waits.flatMap((each, index) => tries(`/books/${index}`, ...each))

  test('one series shows no jitter, and no lack of it', () => {
    expect(verdictOf(rule, ...calls([200, 400, 800]))).toBe('not_seen')
  })

  test('a few that are alike may be so by chance', () => {
    expect(verdictOf(rule, ...calls([200, 400, 800], [203, 402, 801]))).toBe('not_seen')
  })

  test('many that are alike have no jitter, though a busy machine made some longer', () => {
    const alike = [0, 1, 2, 3, 1].map((late) => [200 + late, 401 + late, 800 + late])
    const { verdict, violations } = resultOf(rule, calls(...alike))
    expect([verdict, violations.length]).toEqual(['failed', 1])
    expect(violations[0]?.explanation).toBe(
      'The waits before the retries of 5 calls are the same each time: 200 ms to 203 ms, then 401 ms to 404 ms, then 800 ms to 803 ms.',
    )
    const late = calls(...alike, [200, 480, 803], [201, 402, 930])
    expect(resultOf(rule, late).violations[0]?.explanation).toEndWith(', except 2 of 21 that were longer.')
  })

  test('waits that differ by more than a busy machine makes them pass, from three calls on', () => {
    expect(verdictOf(rule, ...calls([180, 90, 900], [40, 410, 400], [100, 230, 1_700]))).toBe('passed')
    expect(verdictOf(rule, ...calls([180, 90, 900], [40, 410, 400]))).toBe('not_seen')
  })

  test('two schedules without jitter do not pass', () => {
    const [slow, fast] = [
      [1_000, 2_000, 4_000],
      [200, 400, 800],
    ]
    expect(verdictOf(rule, ...calls(slow, fast, slow, fast, slow, fast))).toBe('not_seen')
    // Some calls are sent again at once before the client waits.
    const [before, after] = [
      [1_000, 2_000, 4_000, 3],
      [3, 1_000, 2_000, 4_000],
    ]
    expect(verdictOf(rule, ...calls(before, after, before, after, before, after))).toBe('not_seen')
  })

  test('fixed waits that a busy machine makes longer neither pass nor fail', () => {
    expect(verdictOf(rule, ...calls([529], [536], [511], [515], [510], [508], [580]))).toBe('not_seen')
    expect(verdictOf(rule, ...calls([353, 670], [330, 610], [321, 640], [309, 605]))).toBe('not_seen')
    const first = [883, 449, 367, 306, 340, 480]
    const second = [664, 658, 609, 604, 682, 603]
    expect(verdictOf(rule, ...calls(...first.map((wait, index) => [wait, second[index] ?? 0])))).toBe('not_seen')
  })
})
