import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import { bodyKibMax } from '../../platform/api/sizes.ts'
import { type GivenHeaders, mustBeSingle, type RequestWithBody } from './head.ts'

const bytesMax = bodyKibMax * 1024
const wholeNumber = /^\d+$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body as text, '' if there is none. The media type must be one of `types`. Buffers no more than the limit. `onRead` gets the
 * text of a body that is then rejected, too, if it is text.
 */
export async function readBody(
  { request, headers }: RequestWithBody,
  types: readonly string[],
  onRead?: (text: string | undefined) => void,
): Promise<string> {
  const declared = headers['content-length']
  if (declared !== undefined && Number(declared) > bytesMax) throw tooLarge()
  if (declared === undefined && headers['transfer-encoding'] === undefined) return ''
  // Only a body without a usable length (two equal ones arrive as "5, 5") is read as a stream: creating one takes longer than
  // reading a small body.
  const hasLength = declared !== undefined && wholeNumber.test(declared)
  let bytes: Uint8Array
  try {
    bytes = await (hasLength ? request.bytes() : readCapped(request))
  } catch (error) {
    // A client that disconnects while sending its body is not a failure of the service and must not be logged as one.
    if (error instanceof ApiError) throw error
    throw new ApiError(apiErrors.malformed_json, 'The body ended before it was complete.', {
      advice: 'Send as many bytes as `Content-Length` says.',
    })
  }
  const text = decode(bytes)
  onRead?.(text)
  mustBeSingle(declared, 'Content-Length')
  if (bytes.length > 0) checkContentType(headers, types)
  if (text === undefined) {
    throw new ApiError(apiErrors.malformed_json, 'The body is not valid UTF-8.', { advice: 'Encode it as UTF-8.' })
  }
  return text
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
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
const tooLarge = () => new ApiError(apiErrors.body_too_large, undefined, { headers: { Connection: 'close' } })

function checkContentType(headers: GivenHeaders, types: readonly string[]): void {
  const given = headers['content-type'] ?? ''
  if (!types.includes(given) && !types.includes(essenceOf(given))) {
    const declared =
      given === '' ? 'The body has no `Content-Type`.' : `The body is declared as \`${given}\`, not as JSON.`
    throw new ApiError(apiErrors.unsupported_media_type, declared, {
      advice: `Send \`Content-Type: ${types.join('` or `')}\`.`,
    })
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new ApiError(
      apiErrors.unsupported_media_type,
      `The body is encoded as \`${encoding}\`, which is not supported.`,
      {
        advice: 'Send it without compression and without `Content-Encoding`.',
      },
    )
  }
}

/** A media type without its parameters. */
const essenceOf = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
