import { type ApiError, validationFailed } from '../api/errors.ts'

/** The key that a call carries, in `X-API-Key` or as a bearer token. Two different ones are a fault. */
export function presentedKey(
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
