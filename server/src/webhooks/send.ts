import { lookup as resolveName } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublic } from './address.ts'
import { connectInPieces } from './connect.ts'
import { hostOf, type Reach, urlFault } from './url.ts'

/** How long an attempt may take in all: the name, the connection, the answer to its end. */
export const attemptTimeoutMs = 15_000
/** So much of an answer is read; the connection then ends. */
const answerBytesMax = 64 * 1024
/** So much of it is kept for whoever looks into the log. */
const answerBytesKept = 1024
/** Answers with a status below 200 that may come before the final one, and how long they may be together. */
const interimMax = 10
const interimBytesMax = 16 * 1024

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of an attempt. Without a status there was no answer, and `error` says why. */
export interface Sent {
  readonly status?: number
  readonly latencyMs: number
  readonly error?: string
  /** How the answer begins. */
  readonly response?: string
}

/** The addresses that a name has. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface SendOptions extends Reach {
  readonly resolve?: Resolve
  readonly timeoutMs?: number
  /** Certificates to trust besides those of the system. */
  readonly ca?: string
  /** Ends the attempt early. */
  readonly signal?: AbortSignal
}

/** Why nothing was sent. Whether a name has no address or one that is refused is nobody's business. */
class NotSent extends Error {}

/** Sends a POST and tells what came of it; never fails. No redirect is followed, nothing is decompressed, no proxy is used. */
export async function send(outgoing: Outgoing, options: SendOptions): Promise<Sent> {
  const startedAt = performance.now()
  const { timeoutMs = attemptTimeoutMs, signal } = options
  const late = AbortSignal.timeout(timeoutMs)
  const ends = signal ? AbortSignal.any([late, signal]) : late
  const latencyMs = () => Math.round(performance.now() - startedAt)
  try {
    const answer = await untilAborted(ends, attempt(outgoing, options, ends))
    return { ...answer, latencyMs: latencyMs() }
  } catch (error) {
    const why = late.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error)
    return { error: why, latencyMs: latencyMs() }
  }
}

async function attempt({ url: text, headers, body }: Outgoing, options: SendOptions, ends: AbortSignal) {
  const fault = urlFault(text, options)
  if (fault) throw new NotSent(`the address ${fault}`)
  const url = new URL(text)
  const addresses = await checkedAddresses(hostOf(url), options)
  ends.throwIfAborted()
  return exchange(url, addresses, { headers, body, ends, ca: options.ca })
}

/** Resolved once. The connection is made to one of these, whatever the name answers a moment later. */
async function checkedAddresses(host: string, { allowPrivate, resolve = systemResolve }: SendOptions) {
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => [])
  if (addresses.length === 0 || !(allowPrivate || addresses.every(isPublic))) {
    throw new NotSent('the host has no address in the public internet')
  }
  return addresses
}

const systemResolve: Resolve = async (host) =>
  (await resolveName(host, { all: true, verbatim: true })).map(({ address }) => address)

interface Exchange {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly ends: AbortSignal
  readonly ca: string | undefined
}

function exchange(url: URL, addresses: readonly string[], { headers, body, ends, ca }: Exchange) {
  const isTls = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; response?: string }>()
  // node:http rather than fetch, which would obey HTTPS_PROXY and leave the choice of address to the proxy.
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
    signal: ends,
    // A connection of its own, to an address that was checked just now.
    createConnection: ({ host, port }) =>
      connectInPieces(
        {
          host: host as string,
          port: Number(port),
          lookup: answering(addresses),
          ...(isTls && !isIP(host as string) && { servername: host as string }),
          ...(isTls && ca !== undefined && { ca }),
        },
        { isTls, failed: reject },
      ),
  })
  request.on('error', reject)
  request.on('information', limitInterim(request, reject))
  request.on('response', (answer) => {
    const chunks: Buffer[] = []
    let read = 0
    const done = () => {
      const start = Buffer.concat(chunks).subarray(0, answerBytesKept)
      resolve({ status: answer.statusCode ?? 0, ...(start.length > 0 && { response: textOf(start) }) })
      request.destroy()
    }
    answer.on('data', (chunk: Buffer) => {
      if (read < answerBytesKept) chunks.push(chunk)
      read += chunk.length
      if (read >= answerBytesMax) done()
    })
    answer.on('end', done)
    answer.on('error', reject)
    answer.on('aborted', () => reject(new NotSent('the connection ended before the answer did')))
  })
  request.end(body)
  return promise.finally(() => request.destroy())
}

/** Ends a request that gets interim answers without end: the parser emits each one, and none of them is the answer. */
function limitInterim(request: http.ClientRequest, reject: (reason: Error) => void) {
  let answers = 0
  let bytes = 0
  return ({ statusMessage, rawHeaders }: http.InformationEvent) => {
    answers++
    bytes += statusMessage.length + rawHeaders.join().length
    if (answers <= interimMax && bytes <= interimBytesMax) return
    reject(new NotSent('too many interim answers'))
    request.destroy()
  }
}

/** A resolver that knows these addresses and nothing else. */
const answering =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, found) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all) found(null, known)
    else found(null, known[0]?.address ?? '', known[0]?.family)
  }

/** Text that every database keeps: what is no UTF-8 is replaced, NUL left out, a character that was cut off dropped. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '')

/** The name of a certificate or a socket's fault is told; what a receiver said is in the answer. */
function reasonOf(error: unknown): string {
  if (error instanceof NotSent) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return (code ?? message).slice(0, 200)
}

function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([promise, aborted])
}
