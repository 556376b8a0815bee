import { afterAll } from 'bun:test'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newDirectory } from '../../../server/test/harness/scratch.ts'
import { createNaming } from '../../src/judge/name-requests.ts'
import { createPlan, type Fault } from '../../src/judge/plan.ts'
import { readProfile } from '../../src/judge/profile-file.ts'
import { startProxy } from '../../src/judge/proxy.ts'
import { createRecorder } from '../../src/judge/record.ts'

// An API for tests, and the proxy of petstore judge in front of it. They end with the test file.

const directory = newDirectory()
const closing: (() => unknown)[] = [() => directory.remove()]
afterAll(async () => {
  for (const close of closing) await close()
})
export const atEnd = (close: () => unknown) => void closing.push(close)

const profileFile = `${directory.path}/api.yaml`
await Bun.write(
  profileFile,
  `limits: { statuses: [429], scope: client }
errors: { codeField: code }
repeats: { header: idempotency-key }
credentials: { headers: [x-api-key] }
sends:
  limited: { status: 429, headers: { retry-after: 7, content-type: application/json }, body: '{"code":"too_many"}' }
  unavailable: { status: 503, body: gone for a moment }
slowSeconds: 0.2
`,
)
const profile = readProfile(profileFile)

export type Handle = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown

/** An API that notes what it gets. */
export async function startApi(handle: Handle) {
  const received: { method?: string; url?: string; headers: IncomingMessage['headers']; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method, url, headers } = request
    received.push({ ...(method && { method }), ...(url && { url }), headers, body })
    handle(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

export async function startJudged(upstream: string, only: Fault[] = [], options: { keepsBodies?: boolean } = {}) {
  const { keepsBodies = false } = options
  const recorder = createRecorder({ profile, nameRequest: createNaming([]), keepsBodies })
  const plan = createPlan(profile, { seed: 'proxy', only })
  const proxy = await startProxy({ upstream: new URL(upstream), profile, plan, recorder })
  atEnd(() => proxy.stop())
  const last = () => recorder.exchanges().at(-1)
  return { ...proxy, recorder, last }
}

export const sendJson: Handle = (_, response, body) => {
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ got: body.toString() }))
}
export const order = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/orders`, { method: 'POST', body: '{"item":1}', headers })
