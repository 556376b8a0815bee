import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isNotModified } from '../api/etag.ts'
import type { WebPage } from '../http/listener.ts'
import { acceptsGzip } from '../http/negotiate.ts'

/** Text that stays the same as long as the process runs: made and compressed once, when it is first asked for. */
export function fixed(make: () => string, headers: Record<string, string>): WebPage['get'] {
  let made: Made | undefined
  return (request) => {
    made ??= prepare(make(), headers)
    if (isNotModified(request.headers.get('if-none-match'), made.tag)) {
      return new Response(null, { status: 304, headers: made.headers })
    }
    return acceptsGzip(request.headers.get('accept-encoding'))
      ? new Response(made.compressed, { headers: { ...made.headers, 'Content-Encoding': 'gzip' } })
      : new Response(made.body, { headers: made.headers })
  }
}

type Made = ReturnType<typeof prepare>

function prepare(body: string, headers: Record<string, string>) {
  const tag = `"${digest(body)}"`
  const common = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff', Vary: 'Accept-Encoding' }
  // Weak: the compressed bytes carry the same tag.
  return { body, compressed: gzipSync(body), tag, headers: { ...common, ...headers, ETag: `W/${tag}` } }
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)
