import { ApiError } from '../api/errors.ts'
import type { Method } from '../api/operation.ts'
import { bodyKibMax, nestingMax } from '../api/sizes.ts'

const bytesMax = bodyKibMax * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The body as text, or '' when there is none. Never holds more than the limit in memory. */
export async function readBody(request: Request): Promise<string> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > bytesMax) throw tooLarge()
  if (declared === null && !request.headers.has('transfer-encoding')) return ''
  // A length that is no number (two equal ones arrive as "5, 5") promises nothing. Only then is the body read as a stream:
  // making one takes longer than reading a small body.
  const isPromised = declared !== null && /^\d+$/.test(declared)
  const bytes = await (isPromised ? request.bytes() : readCapped(request)).catch((error: unknown) => {
    // A client that goes away in the middle of its body is no failure of the service, and must not be logged as one.
    throw error instanceof ApiError ? error : new ApiError('malformed_json', 'The body ended before it was complete.')
  })
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('malformed_json', 'The body is not valid UTF-8.')
  }
}

async function readCapped({ body }: Request): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > bytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// The rest of the body is not read, so the connection cannot be used again.
const tooLarge = () => new ApiError('body_too_large', undefined, { headers: { Connection: 'close' } })

export function checkContentType(request: Request, method: Method): void {
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  const known = type === 'application/json' || (method === 'patch' && type === 'application/merge-patch+json')
  const encoding = request.headers.get('content-encoding')
  if (!known || (encoding !== null && encoding !== 'identity')) throw new ApiError('unsupported_media_type')
}

/** Parses JSON without rounding: a number that a double cannot keep becomes NaN, which every shape refuses. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new ApiError('malformed_json', 'The body is empty; JSON was expected.')
  if (nestsDeeperThan(nestingMax, text)) {
    throw new ApiError('malformed_json', `The body is nested deeper than ${nestingMax} levels.`)
  }
  try {
    // Up to 15 digits and no exponent are always exact, which spares nearly every body the slow way.
    return /[\d.]{16}|\d[eE]/.test(text) ? JSON.parse(text, refuseRounding) : JSON.parse(text)
  } catch {
    throw new ApiError('malformed_json')
  }
}

function refuseRounding(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return canonicalDecimal(context.source) === canonicalDecimal(String(value)) ? value : Number.NaN
}

/** Digits and exponent of a number as written, with nothing that does not change its value: `-1.50e3` → `-15e2`. */
function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // Not /0+$/, which looks again from every zero on the way: a long number would stop the service for seconds.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const significant = digits.slice(0, end)
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

function nestsDeeperThan(limit: number, text: string): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}
