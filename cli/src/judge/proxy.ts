import { once } from 'node:events'
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { type AddressInfo, isIP } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Fault, Plan } from './plan.ts'
import type { ApiProfile } from './profile-file.ts'
import { flatten, nowMs, type Recorded, type Recorder } from './record.ts'
import { createRewriter, halfOf, type Rewriter } from './rewrite.ts'

/** As much of a body as is kept in memory; the rest goes through. */
const beginningBytesMax = 64 * 1024
/** Headers about one connection. The body is framed again. */
const headersOfConnection = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

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
  const [send, Agent] = upstream.protocol === 'https:' ? [requestHttps, HttpsAgent] : [requestHttp, HttpAgent]
  // A connection that was used before may close just then, and nothing but the client may send a request again.
  const agent = new Agent({ keepAlive: false })
  const failures = new Map<string, number>()
  let rewriter: Rewriter | undefined

  /** Sends a request to the upstream. Undefined if there is no response. */
  async function forward(request: IncomingMessage, beginning: Body, signal: AbortSignal) {
    const outgoing = send(upstream.origin + pathOf(request), {
      method: request.method,
      headers: passedOn(request),
      agent,
      signal,
    })
    try {
      const responded = once(outgoing, 'response', { signal }) as Promise<[IncomingMessage]>
      if (beginning.bytes.length > 0) outgoing.write(beginning.bytes)
      if (beginning.isWhole) outgoing.end()
      else
        pipeline(request, outgoing).catch((error: Error) => {
          // The upstream may respond before it has read everything.
          if (!request.complete) outgoing.destroy(error)
        })
      const [response] = await responded
      return response
    } catch (error) {
      outgoing.destroy()
      if (!signal.aborted) {
        const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)
        failures.set(reason, (failures.get(reason) ?? 0) + 1)
      }
      return undefined
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = nowMs()
    const left = new AbortController()
    response.on('close', () => left.abort())
    const beginning = await readBeginning(request)
    // Of a longer body always the same part, however it is divided.
    const known = beginning.bytes.subarray(0, beginningBytesMax)
    const recorded = recorder.record(request, known, beginning.isWhole, arrivedMs)
    response.on('finish', () => {
      recorded.end('complete')
      // After a rejection, the same request is another try.
      if (response.statusCode < 400) plan.finish(recorded.call)
    })
    response.on('close', () => recorded.end('abandoned'))
    const cut = () => {
      recorded.end('cut')
      close(response)
    }
    const fault = plan.next(recorded.call)
    if (fault !== undefined) recorder.noteFault(recorded, fault)
    if (fault === 'before') return cut()
    if (fault === 'limited' || fault === 'unavailable') return reject(fault, recorded, response)
    const incoming = await forward(request, beginning, left.signal)
    if (!incoming) return cut()
    if (fault === 'lost') {
      // Once the whole response has come, what was asked for is done.
      await pipeline(incoming, discard).catch(() => undefined)
      return cut()
    }
    if (fault === 'slow')
      await pause(profile.slowSeconds * 1_000, undefined, { signal: left.signal }).catch(() => undefined)
    if (!left.signal.aborted) await respond(incoming, response, recorded, fault)
  }

  /** Sends the rejection of the profile. */
  function reject(fault: 'limited' | 'unavailable', recorded: Recorded, response: ServerResponse): void {
    const { status = 503, headers = {}, body = '' } = profile.sends[fault] ?? {}
    const all = { date: new Date().toUTCString(), ...headers, 'content-length': String(Buffer.byteLength(body)) }
    recorded.respond(status, lowerCase(all))
    recorded.addBody(Buffer.from(body))
    response.writeHead(status, all).end(body)
  }

  /** Sends the response of the upstream, or half of it. */
  async function respond(incoming: IncomingMessage, response: ServerResponse, recorded: Recorded, fault?: Fault) {
    const isCut = fault === 'cut'
    const { steps = [], text = incoming } = (isCut ? undefined : rewriter?.body(incoming)) ?? {}
    const headers = headersFor(incoming, steps.length > 0)
    const { statusCode = 502, statusMessage } = incoming
    const begin = () => {
      recorded.respond(statusCode, lowerCase(headers))
      response.writeHead(statusCode, statusMessage, headers)
      response.flushHeaders()
    }
    // Unless the client was first to close the connection.
    incoming.once('error', () => recorded.end('cut'))
    try {
      if (!isCut) {
        begin()
        text.on('data', (chunk: Buffer) => recorded.addBody(chunk))
        // The types of pipeline know only a few steps.
        await pipeline([incoming, ...steps, response] as never)
        return
      }
      const length = Number(incoming.headers['content-length'])
      for await (const part of halfOf(incoming, Number.isNaN(length) ? undefined : length)) {
        if (!response.headersSent) begin()
        recorded.addBody(part)
        if (!response.write(part)) await once(response, 'drain')
      }
      // What was written is sent at the end of the turn.
      await setImmediate()
    } catch {
      // The upstream or the client closed the connection.
    }
    if (response.destroyed && !response.writableFinished) recorded.end('abandoned')
    recorded.end('cut')
    close(response)
  }

  function headersFor({ rawHeaders }: IncomingMessage, isRewritten: boolean): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {}
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
      const lower = name.toLowerCase()
      // The length changes with the addresses.
      if (headersOfConnection.includes(lower) || (isRewritten && lower === 'content-length')) continue
      const text = rewriter?.header(lower, value) ?? value
      const before = headers[name]
      headers[name] = before === undefined ? text : [before, text].flat()
    }
    return headers
  }

  function passedOn({ headers }: IncomingMessage): Record<string, string | string[]> {
    const own = Object.entries(headers).filter(([name]) => !headersOfConnection.includes(name))
    // Signatures are over the name that the client used. A server with many names needs its own.
    const host = hasOneName(upstream) ? (headers.host ?? upstream.host) : upstream.host
    return { ...Object.fromEntries(own), host } as Record<string, string | string[]>
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => close(response))
  })
  // A client may take as long as it likes to send and receive.
  server.requestTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rewriter = createRewriter(upstream.origin, origin)
  return {
    url: origin + upstream.pathname.replace(/\/$/, ''),
    failures: () => failures,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const hasOneName = ({ hostname }: URL): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) > 0 || hostname === 'localhost'

/** Closes the connection. Destroying the response alone may still send a status. */
const close = ({ socket }: ServerResponse): void => void socket?.destroy()

/** Clients that take this for a forward proxy send the whole address. */
const pathOf = ({ url = '/' }: IncomingMessage): string => {
  if (url.startsWith('/')) return url
  const { pathname, search } = URL.parse(url) ?? { pathname: '/', search: '' }
  return pathname + search
}

interface Body {
  readonly bytes: Buffer
  /** Whether that is the whole body. */
  readonly isWhole: boolean
}

/** Reads a body until it ends or is too long to be kept. */
async function readBeginning(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const done = (isWhole: boolean) => {
      request.off('data', take).off('end', end).off('error', reject).off('close', end)
      request.pause()
      resolve({ bytes: Buffer.concat(chunks), isWhole })
    }
    const end = () => done(true)
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > beginningBytesMax) done(false)
    }
    request.on('data', take).on('end', end).on('error', reject).on('close', end)
  })
}

const lowerCase = (headers: Readonly<Record<string, string | string[]>>): Record<string, string> =>
  flatten(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])))

async function discard(body: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of body);
}
