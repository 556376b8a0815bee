import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import { debianProgram } from '../../server/test/harness/run/debian-program.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import { challenges } from '../src/sandbox/challenges.ts'
import { petstore } from './harness/petstore.ts'

// Each challenge passes a good client in two languages, and tells three bad ones what is wrong.

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())
const env = { PETSTORE_SANDBOX_URL: host.url, PYTHONDONTWRITEBYTECODE: '1' }
const python = debianProgram('python3')

const javascript = process.execPath

async function run(challenge: string, ...client: string[]) {
  const { code, output } = await petstore(['--json', 'sandbox', 'challenge', challenge, '--', ...client], { env })
  const [{ faults }] = JSON.parse(output)
  return [code, (faults as string[]).join('\n')]
}

/** For each challenge, clients in JavaScript and what each is told. */
const inJavaScript: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  limits: {
    'does not wait': 'failed: Waits as long as Retry-After says',
    'stops after five pets': 'is "1,2,3,4,5", not',
  },
  retries: { 'retries a 404': 'got 404 pet_not_found', 'gives up': 'is "Rex", not "Rex,Bella,' },
  pages: {
    'stops after two pages': '8,9,10", not "1,2,',
    'takes all on one page': 'limit=100 does not ask for 5 pets per page',
  },
  races: { 'edits without If-Match': 'has no If-Match', 'gives up': 'Pet 1 is called "Rex", not "Rex the Second".' },
  'lost-responses': {
    'repeats without a key': 'was ordered 2 times for that day, not once',
    'gives up': 'not seen: ',
  },
  events: {
    'starts again without Last-Event-ID': 'started a new one without Last-Event-ID',
    'never opens the stream': 'not seen: Resumes a stream',
  },
  webhooks: { 'trusts every message': 'which was forged, of event', 'rejects what it has seen': 'got 409' },
  deprecation: {
    'goes on with what is deprecated': 'called 2 more times',
    'reads one pet': 'is "Rex", not "Rex,Bella,Charlie"',
  },
}
const inPython: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  limits: { 'gives up': 'There is no category "Result".' },
  retries: { 'ignores Retry-After': 'failed: Waits as long as Retry-After says' },
  pages: { 'makes cursors up': 'has a cursor that no response offered' },
  races: { 'edits again without reading': 'without reading in between' },
  'lost-responses': { 'uses a new key': 'under another Idempotency-Key' },
  events: { 'stops when the stream breaks': 'not "Ferrets,Geckos,Parrots"' },
  webhooks: { 'handles a message twice': 'The description of "Result" is "' },
  deprecation: { 'guesses the names': 'not seen: Stops calling what' },
}

/** Challenge, name of the client, and what it is told. */
const rowsOf = (table: typeof inPython) =>
  Object.entries(table).flatMap(([challenge, clients]) =>
    Object.entries(clients).map(([name, told]) => [challenge, name, told] as const),
  )
const at = (...parts: string[]) => join(import.meta.dir, 'bad-clients', ...parts)

test('every challenge has two bad clients in JavaScript and one in Python', () => {
  const names = challenges.map(({ name }) => name)
  expect([Object.keys(inJavaScript), Object.keys(inPython)]).toEqual([names, names])
  expect([rowsOf(inJavaScript).length, rowsOf(inPython).length]).toEqual([2 * names.length, names.length])
})

describe.each([
  ['JavaScript', javascript, 'client.mjs'],
  ['Python', python, 'client.py'],
])('in %s', (_, program, file) => {
  test.skipIf(!program)('the example client passes every challenge', async () => {
    const client = [program ?? '', join(root, 'examples/challenges', file)]
    const { code, output, errors } = await petstore(['sandbox', 'challenge', '--all', '--', ...client], { env })
    expect([code, errors]).toEqual([0, ''])
    expect(output.match(/✓ passed/g)).toHaveLength(challenges.length)
  })
})

test.each(rowsOf(inJavaScript))('%s, in JavaScript: a client that %s does not pass', async (challenge, name, told) => {
  const result = await run(challenge, javascript, at('clients.mjs'), `${challenge}: ${name}`)
  expect(result).toEqual([1, expect.stringContaining(told)])
})

test.skipIf(!python).each(rowsOf(inPython))(
  '%s, in Python: a client that %s does not pass',
  async (challenge, name, told) => {
    const result = await run(challenge, python ?? '', at('clients.py'), `${challenge}: ${name}`)
    expect(result).toEqual([1, expect.stringContaining(told)])
  },
)
