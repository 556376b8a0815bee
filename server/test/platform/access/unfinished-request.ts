import { connect } from 'node:net'
import { keySubject } from '../../../src/platform/keys/plans.ts'
import { eventually } from '../../harness/eventually.ts'
import type { Client, Service } from '../../harness/service.ts'

interface UnfinishedRequest {
  readonly method?: string
  readonly path: string
  readonly body: object
  readonly headers?: Record<string, string>
}

/** Sends a request without the last byte of its body, and waits until it is admitted. `finish` sends that byte. */
export async function startRequest(service: Service, client: Client, request: UnfinishedRequest) {
  const { method = 'POST', path, body, headers = {} } = request
  const { hostname, port } = new URL(service.url)
  const text = JSON.stringify(body)
  const head = {
    Host: `${hostname}:${port}`,
    'X-API-Key': client.secret ?? '',
    'Content-Type': 'application/json',
    'Content-Length': String(text.length),
    Connection: 'close',
    ...headers,
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  const before = countAdmitted(service, client)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text.slice(0, -1)}`)
  await eventually(() => countAdmitted(service, client) !== before)

  return {
    async finish() {
      socket.write(text.slice(-1))
      await closed
      const json = received.slice(received.indexOf('{'), received.lastIndexOf('}') + 1)
      return { status: Number(received.split(' ')[1]), body: json === '' ? undefined : JSON.parse(json) }
    },
  }
}

/** How many requests of the client the node has admitted. */
const countAdmitted = ({ context, clock }: Service, { keyId }: Client): number =>
  context.limiter.known(keySubject(keyId), clock.now())?.day ?? 0
