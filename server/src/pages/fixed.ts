import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isNotModified } from '../http/etag.ts'
import type { Page } from '../http/mount.ts'

/** Text that stays the same as long as the process runs: compressed once, and not sent again to those who have it. */
export function fixed(body: string, headers: Record<string, string>): Page['get'] {
  const compressed = gzipSync(body, { level: 9 })
  const etag = `"${digest(body)}"`
  const common = {
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
    ...headers,
    // Weak: the compressed bytes carry the same tag.
    ETag: `W/${etag}`,
  }
  return (request) => {
    if (isNotModified(request.headers.get('if-none-match'), etag)) {
      return new Response(null, { status: 304, headers: common })
    }
    return acceptsGzip(request)
      ? new Response(compressed, { headers: { ...common, 'Content-Encoding': 'gzip' } })
      : new Response(body, { headers: common })
  }
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

const acceptsGzip = (request: Request): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(0\.0*[1-9]|1))?\s*(,|$)/.test(request.headers.get('accept-encoding') ?? '')
