import { type ApiError, validationFailed } from '../api/errors.ts'

/** The API key of a call, from `X-API-Key` or a bearer token. Sending two different keys is an error. */
export function readApiKey(
  apiKey: string | undefined,
  authorization: string | undefined,
): string | undefined | ApiError {
  if (authorization === undefined) return apiKey
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer) {
    const message = 'must be the same as X-API-Key when both are sent'
    return validationFailed([{ in: 'header', path: '/Authorization', message }])
  }
  return apiKey ?? bearer
}
