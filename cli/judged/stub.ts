import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Upstream } from './client.ts'

interface Answer {
  readonly status: number
  readonly body: object
}

/**
 * An API for clients that speak none, and as much of those of OpenAI, Stripe and GitHub as their clients need. It stores the response to
 * each `Idempotency-Key`, and counts what it did.
 */
export async function startStub(): Promise<Upstream> {
  let changes = 0
  const stored = new Map<string, Answer>()
  const change = (path: string): Answer => ({ status: 201, body: changed(path, ++changes) })
  const answerTo = (method: string, path: string, key: string | undefined): Answer => {
    if (method !== 'POST') return { status: 200, body: found(path) }
    if (key === undefined) return change(path)
    return stored.getOrInsertComputed(`${path} ${key}`, () => change(path))
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', headers } = request
    const key = headers['idempotency-key']
    request.resume().on('end', () => {
      const { status, body } = answerTo(method, url.split('?')[0] ?? '', key === undefined ? undefined : String(key))
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    changes: async () => changes,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a POST made. */
function changed(path: string, id: number): object {
  if (path === '/chat/completions')
    return {
      id: `chatcmpl-${id}`,
      object: 'chat.completion',
      created: 0,
      model: 'stub',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }],
    }
  if (path === '/v1/customers') return { id: `cus_${id}`, object: 'customer' }
  return { id, item: 1, quantity: 1 }
}

/** What a GET reads. */
function found(path: string): object {
  if (path === '/models') return { object: 'list', data: [] }
  if (path === '/v1/balance') return { object: 'balance', available: [], pending: [] }
  return { id: path.split('/').at(-1), object: path.split('/').at(-2) }
}
