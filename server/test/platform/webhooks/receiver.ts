import http, { type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { committedContract } from '../../contract/checker.ts'

/** A request to a receiver. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  readonly event: any
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** The number of connections made to it. */
  connections(): number
  /** The status of the next responses, or another reaction. */
  response: number | RequestListener
}

/** A receiver of the service's webhooks. Its disposal throws if a request was not as described. */
export const startReceiver = (response: Receiver['response'] = 204): Promise<Receiver> =>
  startAnyReceiver(response, (headers, event) => committedContract().checkSent(headers, event))

type Check = (headers: IncomingHttpHeaders, event: Received['event']) => void

/** A loopback server that stores the requests it gets. */
export async function startAnyReceiver(
  response: Receiver['response'] = 204,
  check: Check = () => undefined,
): Promise<Receiver> {
  const received: Received[] = []
  const faults: unknown[] = []
  let connections = 0
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const event = JSON.parse(body)
    received.push({ path: request.url ?? '', headers: request.headers, body, event })
    try {
      check(request.headers, event)
    } catch (error) {
      faults.push(error)
    }
    if (typeof receiver.response === 'number') response.writeHead(receiver.response).end()
    else receiver.response(request, response)
  })
  server.on('connection', () => {
    connections++
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    response,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (faults.length > 0) throw faults[0]
    },
  }
  return receiver
}

/** Verifies a signature as a receiver would, with the standard's library; throws if it is wrong. */
export const verify = (secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)
