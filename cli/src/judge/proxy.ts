import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { createForwarder, headersOfConnection, maxHeaderSize, readBeginning } from './forward.ts'
import type { Plan } from './plan.ts'
import type { ApiProfile } from './profile-file.ts'
import { flatten, nowMs, type Recorded, type Recorder } from './record.ts'
import { createRewriter, halfOf, type Rewriter } from './rewrite.ts'

/** A connection that the proxy closes while a client begins to use it would be a fault that no one planned. */
const keepAliveTimeoutMs = 600_000

interface Options {
  readonly upstream: URL
  readonly profile: ApiProfile
  readonly plan: Plan
  readonly recorder: Recorder
}

export interface Proxy {
  /** The address to use instead of the upstream, with its path. */
  readonly url: string
  /** Why the upstream did not respond, and how often. */
  failures(): ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Passes requests on to the upstream, and disturbs some of them as planned. */
export async function startProxy({ upstream, profile, plan, recorder }: Options): Promise<Proxy> {
  const forwarder = createForwarder(upstream)
  let rewriter: Rewriter | undefined

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = nowMs()
    const clientGone = new AbortController()
    const { signal } = clientGone
    response.on('close', () => clientGone.abort())
    const beginning = await readBeginning(request)
    const recorded = recorder.record(request, beginning, arrivedMs)
    response.on('finish', () => {
      recorded.end('complete')
      // After a rejection, the same request is another try.
      if (response.statusCode < 400) plan.finish(recorded.call)
    })
    response.on('close', () => recorded.end('abandoned'))
    const fault = plan.next(recorded.call)
    if (fault !== undefined && fault !== 'cut') recorded.disturb(fault)
    if (fault === 'before') return cut(recorded, response)
    if (fault === 'limited' || fault === 'unavailable') return reject(fault, recorded, response)
    const incoming = await forwarder.send(request, beginning, { onBody: recorded.addToBody, signal })
    if (!incoming) return cut(recorded, response)
    if (fault === 'lost') {
      // Once the whole response has come, what was asked for is done.
      await pipeline(incoming, discard).catch(() => undefined)
      return cut(recorded, response)
    }
    if (fault === 'slow') await pause(profile.slowSeconds * 1_000, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    // A response without a body has no middle.
    if (fault === 'cut' && hasBody(request, incoming)) await respondInPart(incoming, response, recorded)
    else await respond(incoming, response, recorded)
  }

  /** Sends the rejection of the profile. */
  function reject(fault: 'limited' | 'unavailable', recorded: Recorded, response: ServerResponse): void {
    const { status = 503, headers = {}, body = '' } = profile.sends[fault] ?? {}
    const all = { date: new Date().toUTCString(), ...headers, 'content-length': String(Buffer.byteLength(body)) }
    recorded.respond(status, lowerCase(all))
    recorded.addToResponse(Buffer.from(body))
    response.writeHead(status, all).end(body)
  }

  function begin(incoming: IncomingMessage, response: ServerResponse, recorded: Recorded, isRewritten: boolean): void {
    const headers = headersFor(incoming, isRewritten)
    const { statusCode = 502, statusMessage } = incoming
    recorded.respond(statusCode, lowerCase(headers))
    response.writeHead(statusCode, statusMessage, headers)
    response.flushHeaders()
    incoming.on('data', recorded.addToResponse)
    // Unless the client was first to close the connection.
    incoming.once('error', () => recorded.end('cut'))
  }

  /** Sends the response of the upstream. */
  async function respond(incoming: IncomingMessage, response: ServerResponse, recorded: Recorded): Promise<void> {
    const steps = rewriter?.body(incoming) ?? []
    begin(incoming, response, recorded, steps.length > 0)
    try {
      // The types of pipeline know only a few steps.
      await pipeline([incoming, ...steps, response] as never)
    } catch {
      // The upstream or the client closed the connection; which of them was first is recorded.
      cut(recorded, response)
    }
  }

  /** Sends half of the response of the upstream. */
  async function respondInPart(incoming: IncomingMessage, response: ServerResponse, recorded: Recorded): Promise<void> {
    recorded.disturb('cut')
    begin(incoming, response, recorded, false)
    try {
      const length = incoming.headers['content-length']
      for await (const part of halfOf(incoming, length === undefined ? undefined : Number(length)))
        if (!response.write(part)) await once(response, 'drain')
      // What was written is sent at the end of the turn.
      await setImmediate()
    } finally {
      cut(recorded, response)
    }
  }

  /** The headers of a response, each name as it was first written. */
  function headersFor({ rawHeaders }: IncomingMessage, isRewritten: boolean): Record<string, string | string[]> {
    const headers = new Map<string, { readonly name: string; readonly values: string[] }>()
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
      const lower = name.toLowerCase()
      // The length changes with the addresses.
      if (headersOfConnection.includes(lower) || (isRewritten && lower === 'content-length')) continue
      const known = headers.getOrInsertComputed(lower, () => ({ name, values: [] }))
      known.values.push(rewriter?.header(lower, value) ?? value)
    }
    return Object.fromEntries(
      [...headers.values()].map(({ name, values }) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    )
  }

  const server = createServer({ maxHeaderSize }, (request, response) => {
    handle(request, response).catch(() => close(response))
  })
  // A client may take as long as it likes to send and receive.
  server.requestTimeout = 0
  server.keepAliveTimeout = keepAliveTimeoutMs
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rewriter = createRewriter(upstream.origin, origin)
  return {
    url: origin + upstream.pathname.replace(/\/$/, ''),
    failures: forwarder.failures,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function cut(recorded: Recorded, response: ServerResponse): void {
  recorded.end('cut')
  close(response)
}

/** Closes the connection. Destroying the response alone may still send a status. */
const close = ({ socket }: ServerResponse): void => void socket?.destroy()

const hasBody = ({ method }: IncomingMessage, { statusCode, headers }: IncomingMessage): boolean =>
  method !== 'HEAD' && statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0'

const lowerCase = (headers: Readonly<Record<string, string | string[]>>): Record<string, string> =>
  flatten(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])))

async function discard(body: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of body);
}
