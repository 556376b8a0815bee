import { lookup as resolveName } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import net, { isIP, type LookupFunction } from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'
import { isPublic } from './address.ts'
import { findUrlFault, hostOf, type UrlPolicy } from './url.ts'

/** The time limit of an attempt: DNS lookup, connection and the whole response. */
export const attemptTimeoutMs = 15_000
/** How much of a response is read before the connection is closed. */
const responseBytesMax = 64 * 1024
/** How much of it is stored in the delivery log. */
const responseBytesKept = 1024
/** How many interim responses (1xx) are accepted, and their total size. */
const interimMax = 10
const interimBytesMax = 16 * 1024

interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of sending. Without a status there was no response, and `error` says why. */
export interface SendResult {
  readonly status?: number
  readonly latencyMs: number
  readonly error?: string
  /** The start of the response body. */
  readonly response?: string
}

/** Resolves a host name to its addresses. */
type Resolve = (host: string) => Promise<readonly string[]>

export interface SendOptions extends UrlPolicy {
  readonly resolve?: Resolve
  readonly timeoutMs?: number
  /** Certificates to trust in addition to the system's. */
  readonly ca?: string
  /** Aborts the attempt. */
  readonly signal?: AbortSignal
}

/** Why nothing was sent. Does not reveal whether a name has no address or a private one. */
class NotSent extends Error {}

/** Sends a POST request; never throws. Follows no redirects, decompresses nothing and uses no proxy. */
export async function send(request: OutgoingRequest, options: SendOptions): Promise<SendResult> {
  const startedAt = performance.now()
  const { timeoutMs = attemptTimeoutMs, signal } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const aborted = signal ? AbortSignal.any([timeout, signal]) : timeout
  const latencyMs = () => Math.round(performance.now() - startedAt)
  try {
    const response = await raceAbort(aborted, sendChecked(request, options, aborted))
    return { ...response, latencyMs: latencyMs() }
  } catch (error) {
    const reason = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error)
    return { error: reason, latencyMs: latencyMs() }
  }
}

async function sendChecked({ url: text, headers, body }: OutgoingRequest, options: SendOptions, signal: AbortSignal) {
  const fault = findUrlFault(text, options)
  if (fault) throw new NotSent(`the URL ${fault}`)
  const url = new URL(text)
  const addresses = await resolveChecked(hostOf(url), options)
  signal.throwIfAborted()
  return post(url, addresses, { headers, body, signal, ca: options.ca })
}

/** Also if the name of the host does not resolve. */
export const noAddress = 'the host has no public IP address'

/** Resolves the host once and checks every address. The connection uses only these, whatever the name resolves to later. */
async function resolveChecked(host: string, { allowPrivate, resolve = systemResolve }: SendOptions) {
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => [])
  if (addresses.length === 0 || !(allowPrivate || addresses.every(isPublic))) {
    throw new NotSent(noAddress)
  }
  return addresses
}

const systemResolve: Resolve = async (host) =>
  (await resolveName(host, { all: true, verbatim: true })).map(({ address }) => address)

interface PostOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  readonly ca: string | undefined
}

function post(url: URL, addresses: readonly string[], { headers, body, signal, ca }: PostOptions) {
  const isTls = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; response?: string }>()
  // node:http, not fetch: fetch uses HTTPS_PROXY, and then the proxy would choose the address.
  const request = (isTls ? https : http).request({
    host: hostOf(url),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method: 'POST',
    headers: {
      'Accept-Encoding': 'identity',
      'Content-Length': String(Buffer.byteLength(body)),
      ...headers,
      Host: url.host,
    },
    signal,
    // A new connection to one of the checked addresses.
    createConnection: ({ host, port }) =>
      connectInChunks(
        {
          host: host as string,
          port: Number(port),
          lookup: createLookup(addresses),
          ...(isTls && !isIP(host as string) && { servername: host as string }),
          ...(isTls && ca !== undefined && { ca }),
        },
        { isTls, onError: reject },
      ),
  })
  request.on('error', reject)
  request.on('information', limitInterim(request, reject))
  request.on('response', (response) => {
    const chunks: Buffer[] = []
    let read = 0
    const done = () => {
      const start = Buffer.concat(chunks).subarray(0, responseBytesKept)
      resolve({ status: response.statusCode ?? 0, ...(start.length > 0 && { response: textOf(start) }) })
      request.destroy()
    }
    response.on('data', (chunk: Buffer) => {
      if (read < responseBytesKept) chunks.push(chunk)
      read += chunk.length
      if (read >= responseBytesMax) done()
    })
    response.on('end', done)
    response.on('error', reject)
    response.on('aborted', () => reject(new NotSent('the connection closed before the response was complete')))
  })
  request.end(body)
  return promise.finally(() => request.destroy())
}

/** Ends a request that gets too many interim responses. */
function limitInterim(request: http.ClientRequest, reject: (reason: Error) => void) {
  let responses = 0
  let bytes = 0
  return ({ statusMessage, rawHeaders }: http.InformationEvent) => {
    responses++
    bytes += statusMessage.length + rawHeaders.join().length
    if (responses <= interimMax && bytes <= interimBytesMax) return
    reject(new NotSent('too many interim responses'))
    request.destroy()
  }
}

/** A lookup function that returns only these addresses. */
const createLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, callback) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all) callback(null, known)
    else callback(null, known[0]?.address ?? '', known[0]?.family)
  }

/** Decodes text so that both databases can store it: replaces invalid UTF-8, and drops NUL and an incomplete last character. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '')

/** The error code of the socket or the certificate, or the message. */
function reasonOf(error: unknown): string {
  if (error instanceof NotSent) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return (code ?? message).slice(0, 200)
}

function raceAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** Small enough to contain only a few interim responses. */
const chunkBytes = 1024

/**
 * Connects, and passes received data on in small chunks. A socket emits up to half a megabyte at once, and the HTTP parser processes
 * all of it even after the request was destroyed: 20,000 interim responses, which take a third of a second.
 */
export function connectInChunks(
  options: net.TcpNetConnectOpts | tls.ConnectionOptions,
  { isTls, onError }: { isTls: boolean; onError: (error: Error) => void },
): Duplex {
  const socket = isTls ? tls.connect(options) : net.connect(options as net.TcpNetConnectOpts)
  const stream = new Duplex({
    read: () => void socket.resume(),
    // A failed write is reported by the socket's error event, which follows.
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, () => done()),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length && !stream.destroyed; from += chunkBytes) {
      if (!stream.push(chunk.subarray(from, from + chunkBytes))) socket.pause()
    }
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => {
    onError(error)
    stream.destroy(error)
  })
  socket.on('close', () => stream.destroy())
  return stream
}
