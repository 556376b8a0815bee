import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import { parseJson } from '../../platform/api/json.ts'
import { type RequestWithBody, readBody } from '../http/request.ts'

/** A JSON-RPC message, as far as it is read here. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly name?: unknown; readonly uri?: unknown; readonly arguments?: unknown }
}

/** Reads the one JSON-RPC message in a request. Numbers are read without rounding, as in every body. */
export async function readMessage(given: RequestWithBody): Promise<Message> {
  const { method } = given.request
  if (method !== 'POST')
    throw new ApiError(apiErrors.method_not_allowed, undefined, { headers: { Allow: 'POST, OPTIONS' } })
  const message = parseJson(await readBody(given, ['application/json']))
  if (Array.isArray(message)) {
    throw new ApiError(apiErrors.validation_failed, 'Batches are not part of the protocol.', {
      advice: 'Send one message per request.',
    })
  }
  if (typeof message !== 'object' || message === null) {
    throw new ApiError(apiErrors.validation_failed, 'The body is not a JSON-RPC message.', {
      advice: 'Send an object with `jsonrpc`, `method` and, for a request, `id`.',
    })
  }
  return message
}

/** The JSON-RPC code of a rejection for which the protocol has none, such as a missing scope or an exhausted limit. */
export const rejectedCode = -32_000

/** The JSON-RPC code of a rejection. */
export const rpcCodeOf = ({ code }: ApiError): number => rpcCodes[code] ?? rejectedCode

const rpcCodes: Partial<Record<ApiError['code'], number>> = {
  malformed_json: -32_700,
  validation_failed: -32_600,
  internal_error: -32_603,
}
