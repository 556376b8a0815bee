import { expect, test } from 'bun:test'
import { judge } from '../src/judge.ts'
import type { Profile } from '../src/profile/profile.ts'
import { exchangesOf, historyOf, library, resultOf, type Step } from './steps.ts'

// What APIs do otherwise than the library: no token, a token in the body, codes with a namespace or in XML, one path for everything.

/** A database all of whose requests are POSTs to one path. */
const table: Profile = {
  errors: { codeField: '__type', retry: {}, mayRetry: { codes: ['Throttled'] } },
  limits: { codes: ['Throttled'], scope: 'operation' },
  repeats: {
    methods: ['POST'],
    operations: ['add'],
    nothingDone: { statuses: [503] },
    outcomeUnknown: {},
    reused: {},
    shownBy: ['get'],
  },
}
const call = (operation: string, more: Partial<Step> = {}): Step => ({
  call: 'POST /',
  operation,
  body: '{"key":1}',
  status: 200,
  ...more,
})
const lost = { status: null }
const judged = (rule: string, ...steps: Step[]) => resultOf(rule, steps, { profile: table })

test('where no token makes a repeat safe, a repeat is a finding, and giving up is not', () => {
  const { violations, advice } = judged('repeats', call('add', lost), call('add'))
  expect(violations.map(({ explanation }) => explanation)).toEqual([
    'Request 1, add, got no response, and request 2 sent it again: it may be done more than once.',
  ])
  expect(advice).toBe(
    'Do not send a change again if it may have been made: look first. The API has no token that makes it safe.',
  )
  expect(judged('repeats', call('add', lost)).verdict).toBe('not_seen')
})

test('a client that looks first, by whatever method, passes, whatever it does then', () => {
  expect(judged('repeats', call('add', lost), call('get')).verdict).toBe('passed')
  expect(judged('repeats', call('add', lost), call('get'), call('add')).verdict).toBe('passed')
  expect(judged('repeats', call('add', lost), call('put'), call('add')).verdict).toBe('failed')
})

test('giving up is a finding only where the profile says that a change must be settled', () => {
  const settled: Profile = {
    ...table,
    repeats: { ...library.repeats, operations: ['add'], mustBeSettled: true } as never,
  }
  const gaveUp = [call('add', lost)]
  expect(resultOf('repeats', gaveUp, { profile: settled }).verdict).toBe('failed')
  const free = { ...settled, repeats: { ...settled.repeats, mustBeSettled: false } as never }
  expect(resultOf('repeats', gaveUp, { profile: free }).verdict).toBe('not_seen')
})

test('the same body is another call for another operation', () => {
  expect(judged('repeats', call('add', lost), call('delete')).verdict).toBe('not_seen')
  const failed = { status: 500 }
  expect(judged('back-off', call('get', failed), call('put', failed), call('query', failed)).verdict).toBe('not_seen')
})

test('a 503 says that nothing was done, if the profile does', () => {
  expect(judged('repeats', call('add', { status: 503 }), call('add')).verdict).toBe('not_seen')
  expect(judged('repeats', call('add', { status: 500 }), call('add')).verdict).toBe('failed')
})

test('a token may be in the body', () => {
  const profile: Profile = { repeats: { ...library.repeats, header: undefined, field: 'Token' } as never }
  const named = (name: string | undefined, more: Partial<Step> = {}): Step =>
    call('add', { ...more, ...(name && { name }) })
  const verdict = (...steps: Step[]) => resultOf('repeats', steps, { profile })
  expect(verdict(named('a', lost), named('a')).verdict).toBe('passed')
  expect(verdict(named('a', lost), named('b')).violations[0]?.explanation).toContain('under another Token')
  expect(verdict(named(undefined, lost), named(undefined)).violations[0]?.explanation).toContain('without a Token')
})

test.each([
  ['with a namespace', '{"__type":"com.example#Throttled","message":"slow down"}', '__type'],
  ['in XML', '<Error><Code>Throttled</Code></Error>', 'Code'],
])('limits are told by codes %s too: other responses with that status are none', (_, responseBody, codeField) => {
  const profile: Profile = { ...table, errors: { codeField, retry: {}, mayRetry: {} } }
  const wait = { response: { 'retry-after': '9' } }
  const verdictOf = (body: string) => {
    const steps = [call('get', { status: 400, responseBody: body, ...wait }), call('get', { wait: 1_500 })]
    const { rules } = judge(historyOf(exchangesOf(steps)), profile)
    return rules.find(({ rule }) => rule === 'retry-after')?.verdict
  }
  expect(verdictOf(responseBody)).toBe('failed')
  // It is about one read, which another caller may have sent.
  expect(verdictOf(responseBody.replace('Throttled', 'Wrong'))).not.toBe('failed')
})

test('short first waits count as back-off where the clients of the API wait so long', () => {
  const failed = { status: 500 }
  const steps = [1, 2, 3, 4].flatMap((key) =>
    [5_000, 12, 24, 48].map((wait, tries) =>
      call('get', { wait, took: 1, body: `{"key":${key}}`, ...(tries < 3 && failed) }),
    ),
  )
  expect(resultOf('back-off', steps, { profile: table }).verdict).toBe('failed')
  expect(resultOf('back-off', steps, { profile: { ...table, backOff: { firstMs: 25 } } }).verdict).not.toBe('failed')
})
