import type { IncomingMessage } from 'node:http'
import { type Duplex, PassThrough, type Readable, Transform } from 'node:stream'
import {
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createGunzip,
  createGzip,
  createInflate,
} from 'node:zlib'

/** Headers that have addresses. */
const headersWithAddresses = ['location', 'content-location', 'link']

/** How a body is unpacked and packed again, by its encoding. Other encodings are passed on as they are. */
const encodings: Readonly<Record<string, readonly [unpack: () => Duplex, pack: () => Duplex]>> = {
  gzip: [createGunzip, createGzip],
  deflate: [createInflate, createDeflate],
  br: [createBrotliDecompress, createBrotliCompress],
  identity: [() => new PassThrough(), () => new PassThrough()],
}

/** Replaces the address of the upstream by that of the proxy, so that a client that follows an address stays with the proxy. */
export interface Rewriter {
  header(name: string, value: string): string
  body(response: IncomingMessage): Steps
}

/** What a body goes through: nothing unless it is JSON. */
interface Steps {
  readonly steps: readonly Duplex[]
  /** Where it can be read, even if it is packed. */
  readonly text: Readable
}

export function createRewriter(upstream: string, proxy: string): Rewriter {
  // Some write JSON with a backslash before each slash.
  const escaped = (url: string) => url.replaceAll('/', '\\/')
  const pairs = [
    [upstream, proxy],
    [escaped(upstream), escaped(proxy)],
  ] as const
  return {
    header: (name, value) =>
      headersWithAddresses.includes(name) ? value.replace(patternOf(upstream), () => proxy) : value,
    body(response: IncomingMessage & { req?: { method?: string } }) {
      const { headers, statusCode } = response
      const encoding = headers['content-encoding'] ?? 'identity'
      const isJson = /^application\/([\w.-]+\+)?json\b/.test(headers['content-type'] ?? '')
      const isEmpty = response.req?.method === 'HEAD' || statusCode === 204 || statusCode === 304
      const [unpack, pack] = encodings[encoding] ?? []
      if (!isJson || isEmpty || !unpack || !pack) return { steps: [], text: response }
      const replacing = pairs.map(([from, to]) => replaceIn(from, to))
      return { steps: [unpack(), ...replacing, pack()], text: replacing.at(-1) ?? response }
    },
  }
}

/** The address, unless it is the beginning of a longer host or port. */
const patternOf = (address: string): RegExp =>
  new RegExp(`${address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.:-])`, 'g')

/** Replaces a text in a stream of bytes, wherever the stream is divided. Latin-1 keeps each byte as it is. */
function replaceIn(from: string, to: string): Transform {
  const pattern = patternOf(from)
  let rest = ''
  /** Up to here the text is complete: what follows may be the beginning of the address. */
  const flush = (text: string, isEnd: boolean): Buffer => {
    const until = isEnd ? text.length : Math.max(0, text.length - from.length)
    let done = 0
    let out = ''
    for (const { index } of text.matchAll(pattern)) {
      // The character after it decides whether it is longer.
      if (!isEnd && index + from.length >= text.length) break
      out += text.slice(done, index) + to
      done = index + from.length
    }
    const end = Math.max(done, until)
    rest = text.slice(end)
    return Buffer.from(out + text.slice(done, end), 'latin1')
  }
  return new Transform({
    transform: (chunk: Buffer, _, next) => next(null, flush(rest + chunk.toString('latin1'), false)),
    flush: (next) => next(null, flush(rest, true)),
  })
}

/** Half of a body, then an error that closes the connection. `length`: the length of the whole, if it is known. */
export async function* halfOf(body: Readable, length: number | undefined): AsyncGenerator<Uint8Array> {
  let left = length === undefined ? undefined : Math.floor(length / 2)
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    left ??= Math.ceil(chunk.length / 2)
    const part = chunk.subarray(0, left)
    if (part.length > 0) yield part
    left -= part.length
    if (left === 0) break
  }
}
