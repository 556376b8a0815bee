import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'

/** Headers that have addresses. */
const headersWithAddresses = ['location', 'content-location', 'link']

/** Replaces the address of the upstream by that of the proxy, so that a client that follows an address stays with the proxy. */
export interface Rewriter {
  header(name: string, value: string): string
  /** What a body goes through, in this order: nothing unless it is JSON, as it is. */
  body(response: IncomingMessage): readonly Transform[]
}

export function createRewriter(upstream: string, proxy: string): Rewriter {
  // Some write JSON with a backslash before each slash.
  const escaped = (url: string) => url.replaceAll('/', '\\/')
  return {
    header: (name, value) =>
      headersWithAddresses.includes(name) ? value.replace(patternOf(upstream), () => proxy) : value,
    body({ headers }) {
      const isJson = /^application\/([\w.-]+\+)?json\b/.test(headers['content-type'] ?? '')
      if (!isJson || headers['content-encoding'] !== undefined || headers['content-length'] === '0') return []
      return [replaceIn(upstream, proxy), replaceIn(escaped(upstream), escaped(proxy))]
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
  return new Transform({
    transform(chunk: Buffer, _, next) {
      const text = rest + chunk.toString('latin1')
      // What may be the beginning of the address waits for the next part: the character after it decides, too.
      const end = text.length - lengthOfBeginning(text, from)
      rest = text.slice(end)
      next(
        null,
        Buffer.from(
          text.slice(0, end).replace(pattern, () => to),
          'latin1',
        ),
      )
    },
    flush: (next) =>
      next(
        null,
        Buffer.from(
          rest.replace(pattern, () => to),
          'latin1',
        ),
      ),
  })
}

/** How much of the end of a text the address may begin with. */
function lengthOfBeginning(text: string, address: string): number {
  for (let length = Math.min(text.length, address.length); length > 0; length--)
    if (address.startsWith(text.slice(-length))) return length
  return 0
}

/** Half of a body. `length`: the length of the whole, if it is known. */
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
