import { withTimeout } from '../platform/lib/with-timeout.ts'
import type { Exchange } from '../surfaces/http/request.ts'

/** Enough for what is recorded, whatever its characters. A rejection of more closes the connection, so the rest may stay unread. */
const unreadBytesMax = 64 * 1024
/** How long the response waits for a body that is still on its way. */
const arrivalMs = 1_000

export const hasBody = ({ headers }: Exchange): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** Reads the beginning of a body that its rejection left unread. Rejects if it does not arrive. */
export async function readUnread({ request }: Exchange): Promise<string> {
  const bytes = await withTimeout(arrivalMs, readBeginning(request), () => new Error('the body did not arrive'))
  return new TextDecoder().decode(bytes)
}

async function readBeginning({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= unreadBytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, unreadBytesMax)
}
