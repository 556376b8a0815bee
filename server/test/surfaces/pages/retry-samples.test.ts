import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { newDirectory } from '../../harness/scratch.ts'
import { runExample } from './guide-examples.ts'

// The client of the guide on retries, in each language, against a server that fails in all the ways a network does.

const guideFolder = join(import.meta.dir, '../../../src/shop/guides')
const programs = [
  ['sh', 'retry.sh'],
  ['js', 'retry.mjs'],
  ['python', 'retry.py'],
].map(([language = '', file = '']) => ({ language, text: readFileSync(join(guideFolder, 'clients', file), 'utf8') }))

/** Waits for three seconds instead of ten, so that the test is quicker; everything else is as a reader copies it. */
const impatient = (text: string) =>
  text
    .replace('--max-time 10', '--max-time 3')
    .replace('timeoutMs = 10_000', 'timeoutMs = 3_000')
    .replace('TIMEOUT_SECONDS = 10', 'TIMEOUT_SECONDS = 3')

const hang = undefined
const response = (status: number, body: string, header = 'X-Other: 1') =>
  `HTTP/1.1 ${status} Status\r\n${header}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const error = (status: number, code: string, header?: string) =>
  response(status, JSON.stringify({ code, message: 'For a reason.', status }), header)
const served = response(200, '[{"id":1}]')

/** Sends each connection the next of these bytes, then `served`, and remembers the idempotency keys and the content types. */
async function serverOf(turns: readonly (string | undefined)[]) {
  const keys: string[] = []
  const types = new Set<string | undefined>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    let request = ''
    socket.on('data', (bytes) => {
      request += bytes
      if (!request.includes('\r\n\r\n')) return
      const turn = keys.length < turns.length ? turns[keys.length] : served
      keys.push(/^idempotency-key: *(.*)\r$/im.exec(request)?.[1] ?? '')
      types.add(/^content-type: *(.*)\r$/im.exec(request)?.[1])
      request = ''
      if (turn !== hang) socket.end(turn)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, keys, types, [Symbol.dispose]: () => server.close() }
}

/** Runs the client in every language at the same time, each against its own server. */
const runAll = (turns: readonly (string | undefined)[]) =>
  Promise.all(
    programs.map(async ({ language, text }) => {
      using directory = newDirectory()
      using server = await serverOf(turns)
      const variables = { PETSTORE_URL: server.url, PETSTORE_API_KEY: 'any' }
      const ended = await runExample({ language, text: impatient(text) }, directory.path, variables)
      return ended ? [{ language, ...ended, keys: server.keys, types: [...server.types] }] : []
    }),
  ).then((results) => results.flat())

const passing: [string, (string | undefined)[]][] = [
  [
    '429, 500, 503 and a request in progress',
    [
      error(429, 'rate_limited', 'Retry-After: 1'),
      error(500, 'internal_error'),
      error(503, 'unavailable', 'Retry-After: 0'),
      error(409, 'idempotency_in_progress'),
    ],
  ],
  ['a dropped connection, half a body and silence', ['', served.slice(0, -3), hang]],
]

test.each(passing)('the client of the retry guide retries %s', async (_, failures) => {
  for (const { language, stdout, keys, types } of await runAll(failures)) {
    expect({ language, body: JSON.parse(stdout || 'null'), requests: keys.length }).toEqual({
      language,
      body: [{ id: 1 }],
      requests: failures.length + 1,
    })
    expect({ language, keys: new Set(keys).size, types }).toEqual({ language, keys: 1, types: ['application/json'] })
  }
})

const final: [string, string][] = [
  ['what stays rejected', error(403, 'insufficient_scope')],
  ['another conflict', error(409, 'insufficient_stock')],
  ['a wait of hours', error(429, 'quota_exhausted', 'Retry-After: 7200')],
]

test.each(final)('the client of the retry guide does not retry %s, and says why it stops', async (_, failure) => {
  for (const { language, exitCode, stderr, stdout, keys } of await runAll([failure])) {
    expect({ language, requests: keys.length }).toEqual({ language, requests: 1 })
    expect(stderr + stdout).toContain('For a reason.')
    // In the shell the last command of a pipe decides, and that is jq.
    if (language !== 'sh') expect(exitCode).toBe(1)
  }
})

test('the client of the tutorial takes a 204 as a success', async () => {
  using directory = newDirectory()
  using server = await serverOf([error(503, 'unavailable', 'Retry-After: 0'), response(204, '')])
  const tutorial = readFileSync(join(guideFolder, 'tutorial.md'), 'utf8')
  const [, client = ''] = /^cat > client\.mjs <<'END'\n([\s\S]*?)^END$/m.exec(tutorial) ?? []
  writeFileSync(join(directory.path, 'client.mjs'), client)
  const text = `import { send } from './client.mjs'\nconsole.log((await send('DELETE', '/store/orders/17')).status)`
  const variables = { PETSTORE_URL: server.url, PETSTORE_API_KEY: 'any' }
  const ended = await runExample({ language: 'js', text }, directory.path, variables)
  expect([ended?.stderr, ended?.stdout, server.keys.length]).toEqual(['', '204\n', 2])
})
