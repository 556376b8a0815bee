import { once } from 'node:events'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { hostOf } from './upstream.ts'

/** As much of a body as is kept in memory; the rest goes through. */
export const beginningBytesMax = 64 * 1024
/** A body that has not come by then is passed on as it comes. */
const beginningWaitMs = 1_000
/** Larger than any server allows. */
export const maxHeaderSize = 256 * 1024

/** Headers about one connection. The body is framed again. */
export const headersOfConnection: readonly string[] = [
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

/** The beginning of a body. */
export interface Beginning {
  readonly bytes: Buffer
  /** Whether that is the whole body. */
  readonly isWhole: boolean
}

/** Reads a body until it ends, is too long to be kept, or takes too long to come. */
export async function readBeginning(request: IncomingMessage): Promise<Beginning> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const done = (isWhole: boolean) => {
      clearTimeout(timer)
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
    const timer = setTimeout(() => done(false), beginningWaitMs)
    request.on('data', take).on('end', end).on('error', reject).on('close', end)
  })
}

/** Clients that take this for a forward proxy send the whole address. */
export const targetOf = ({ url = '/' }: IncomingMessage): string => url.replace(/^\w+:\/\/[^/]*/, '') || '/'

interface Options {
  /** Called with the parts of the body after its beginning. */
  readonly onBody: (chunk: Buffer) => void
  readonly signal: AbortSignal
}

export interface Forwarder {
  /** Sends a request to the upstream. Undefined if there is no response. */
  send(request: IncomingMessage, beginning: Beginning, options: Options): Promise<IncomingMessage | undefined>
  /** Why there was no response, and how often. */
  failures(): ReadonlyMap<string, number>
}

export function createForwarder(upstream: URL): Forwarder {
  const [send, Agent] = upstream.protocol === 'https:' ? [requestHttps, HttpsAgent] : [requestHttp, HttpAgent]
  // A connection that was used before may close just then, and nothing but the client may send a request again.
  const agent = new Agent({ keepAlive: false })
  const failures = new Map<string, number>()
  const address = { host: hostOf(upstream), ...(upstream.port && { port: Number(upstream.port) }) }
  return {
    failures: () => failures,
    async send(request, { bytes, isWhole }, { onBody, signal }) {
      const headers = passedOn(request, upstream)
      // As a path, not as an address, which would be normalised.
      const path = targetOf(request)
      const outgoing = send({ ...address, path, method: request.method, headers, agent, signal, maxHeaderSize })
      try {
        const responded = once(outgoing, 'response', { signal }) as Promise<[IncomingMessage]>
        if (bytes.length > 0) outgoing.write(bytes)
        if (isWhole) outgoing.end()
        else {
          request.on('data', onBody)
          pipeline(request, outgoing).catch((error: Error) => {
            // The upstream may respond before it has read everything.
            if (!request.complete) outgoing.destroy(error)
          })
        }
        const [response] = await responded
        return response
      } catch (error) {
        outgoing.destroy()
        const { code, message } = error as NodeJS.ErrnoException
        const reason = code ?? message
        if (!signal.aborted) failures.set(reason, (failures.get(reason) ?? 0) + 1)
        return undefined
      }
    },
  }
}

function passedOn({ headers }: IncomingMessage, upstream: URL): Record<string, string | string[]> {
  const own = Object.entries(headers).filter(([name]) => !headersOfConnection.includes(name))
  // Signatures are over the name that the client used. A server with many names needs its own.
  const hasOneName = isIP(hostOf(upstream)) > 0 || upstream.hostname === 'localhost'
  return {
    ...(Object.fromEntries(own) as Record<string, string | string[]>),
    host: (hasOneName ? headers.host : undefined) ?? upstream.host,
    // For some methods, Node frames a body only if told to.
    ...(headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
  }
}
