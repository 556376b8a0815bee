import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inOrder } from '../src/history/exchange.ts'
import { judge } from '../src/judge.ts'
import { keep } from '../src/kept.ts'
import { toHar } from '../src/output/har.ts'
import { toJunit } from '../src/output/junit.ts'
import { requestsOf, summaryOf, toLines } from '../src/output/text.ts'
import type { Report } from '../src/report.ts'
import { isMet } from '../src/requirement.ts'
import { rules } from '../src/rules/all.ts'
import { closed, exchangesOf, historyOf, lend, library, limited, list, resultOf, type Step } from './steps.ts'

const reportOf = (...steps: Step[]): Report => ({
  ...judge(historyOf(exchangesOf(steps)), library),
  requests: { seen: steps.length, shown: steps.length, open: 0, undecided: 0 },
})

const must = { level: 'must', seen: [] } as const
const should = { level: 'should', seen: [] } as const
/** Fails one rule that is a must, and one that should be kept. */
const careless = [lend(undefined, { status: null }), lend(undefined), closed]

test('without a profile only rules that need none apply, and nothing is guessed', () => {
  const exchanges = exchangesOf([limited, list, ...careless])
  const { failed, rules: results } = judge(historyOf(exchanges), {})
  expect(failed).toEqual([])
  const applicable = results.filter(({ verdict }) => verdict !== 'not_applicable').map(({ rule }) => rule)
  expect(applicable).toEqual(['retry-after', 'back-off'])
})

test('a rule whose entry is missing does not apply, whatever was found of it before', () => {
  const { pages: _, ...others } = library
  const kept = { pages: { seen: 1, violations: [], violationCount: 1 } }
  const { rules: results } = judge(historyOf([]), others, kept)
  expect(results.find(({ rule }) => rule === 'pages')?.verdict).toBe('not_applicable')
})

test('rules are in the order of their levels, and have ids that are easy to type', () => {
  const levels = ['must', 'should', 'information']
  const order = rules.map(({ level }) => levels.indexOf(level))
  expect(order).toEqual(order.toSorted())
  expect(rules.map(({ id }) => id).filter((id) => !/^[a-z]+(-[a-z]+)?$/.test(id))).toEqual([])
})

test('a long list of violations is cut, and all are counted', () => {
  const many = resultOf('credentials', Array(50).fill({ ...list, call: 'GET /books?card=1' }))
  expect([many.violations.length, many.violationCount, many.seen]).toEqual([20, 50, 50])
})

test('what was found in a part of the history that is gone is kept, and counted once', () => {
  const steps = [...careless, list, { ...list, call: 'GET /books?card=1' }, list, list]
  const exchanges = exchangesOf(steps)
  const whole = judge(historyOf(exchanges), library)
  const kept = keep({}, historyOf(exchanges), library, ({ id }) => id <= 5)
  const left = historyOf(inOrder(exchanges.filter(({ id }) => id > 5)), { isComplete: false })
  expect(judge(left, library, JSON.parse(JSON.stringify(kept)))).toEqual(whole)
  expect(whole.failed).toEqual(['repeats', 'credentials'])
})

test('a requirement is a level, and rules that must have been seen', () => {
  expect([isMet(reportOf(list), must), isMet(reportOf(list), should)]).toEqual([true, true])
  expect([isMet(reportOf(closed), must), isMet(reportOf(closed), should)]).toEqual([true, false])
  expect(isMet(reportOf(...careless), must)).toBe(false)
  expect(isMet(reportOf(list), { ...must, seen: ['repeats'] })).toBe(false)
  expect(isMet(reportOf(lend('a', { status: null }), lend('a')), { ...must, seen: ['repeats'] })).toBe(true)
  const informed = reportOf(...Array<Step>(2).fill({ ...list, response: { deprecation: 'true' } }))
  expect([informed.failed, isMet(informed, should)]).toEqual([['deprecation'], true])
  // A rule that was seen and failed is not short of being seen.
  expect(isMet(reportOf(closed), { ...must, seen: ['retries'] })).toBe(true)
})

test('as text, each rule has a line, and a failed one its reasons and what to do', () => {
  const report = reportOf(...careless)
  const lines = toLines(report)
  expect(lines[0]).toBe('– retry-after: Waits as long as Retry-After says (must) (not seen)')
  const at = lines.findIndex((line) => line.startsWith('✗ repeats:'))
  expect(lines.slice(at + 1, at + 3)).toEqual([
    '    Request 1, POST /loans, got no response, and request 2 sent it again without a Request-Token: it may be done more than once.',
    '    → Send a Request-Token with every POST: choose it before the first try, and send it and the same body with every retry.',
  ])
  expect(lines.at(-1)).toBe('Failed: 1 must, 1 should. Passed: 1. Not seen: 11. 3 requests.')
  expect(summaryOf(reportOf())).toBe('Nothing failed. Passed: 0. Not seen: 14.')
  expect(requestsOf({ ...report, requests: { seen: 1_204, shown: 1_000, open: 3, undecided: 1 } })).toBe(
    '1,204 requests, of which the last 1,000 are shown; 3 are still open; 1 may still be sent again.',
  )
})

test('as JUnit, each rule is a test case, and only what is required fails', () => {
  const report = reportOf({ ...list, call: 'GET /books?a="<&\u0001>&card=1' }, closed)
  const xml = toJunit(report, must)
  expect(xml.match(/<testcase /g)).toHaveLength(14)
  expect(xml).toContain('<testsuites tests="14" failures="1" errors="0" skipped="13" time="0">')
  expect(xml).toMatch(
    /name="credentials: [^"]+" time="0">\s+<failure message="once: Send [^"]+" type="failed">Request 1 has/,
  )
  expect(xml).toMatch(/name="retries: [^"]+" time="0">\s+<skipped message="failed, but not required: once: /)
  expect(toJunit(report, should)).toContain('failures="2"')
  expect(toJunit(report, { level: 'must', seen: ['repeats'] })).toContain(
    '<failure message="not seen" type="not_seen">',
  )
})

test('what is text in XML is escaped', () => {
  const old = { ...list, response: { deprecation: '@1700000000', link: '</novels>; rel="successor-version"' } }
  const xml = toJunit(reportOf(old, old), should)
  expect(xml).toContain('rel=&quot;')
  expect(xml).not.toMatch(/message="[^"]*"[^ />]/)
})

test('the README’s example runs', () => {
  const exchanges = exchangesOf([limited, { ...list, wait: 5_000 }])
  const history = { exchanges, deliveries: [], isComplete: true, nowMs: Date.now(), apiNowMs: Date.now() }
  const { undecided, ...judgement } = judge(history, { limits: { statuses: [429], scope: 'client' } })
  const { length } = exchanges
  const report = { ...judgement, requests: { seen: length, shown: length, open: 0, undecided } }
  expect(toJunit(report, { level: 'must', seen: [] })).toContain('failures="1"')
  const [, code = ''] = /\n\n(const [^`]+)```/.exec(readFileSync(join(import.meta.dir, '../README.md'), 'utf8')) ?? []
  const own = readFileSync(import.meta.path, 'utf8')
  const shown = code.trim().split('\n').slice(0, -1)
  expect([shown.length, shown.filter((line) => !own.includes(line))]).toEqual([4, []])
})

test('as HAR, an exchange without a response has status 0', () => {
  const { log } = toHar({ name: 'library', version: '1' }, exchangesOf([{ ...list, status: null }]), 'http://library')
  expect(log.entries.map(({ request, response }) => [request.url, response.status])).toEqual([
    ['http://library/books', 0],
  ])
})
