import { type ApiError, validationFailed } from '../api/errors.ts'

/** The API key of a call, from `X-API-Key` or a bearer token. Sending two different keys is an error; an empty header is none. */
export function readApiKey(
  apiKey: string | undefined,
  authorization: string | undefined,
): string | undefined | ApiError {
  const plain = apiKey === '' ? undefined : apiKey
  if (authorization === undefined) return plain
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (plain !== undefined && bearer !== undefined && plain !== bearer) {
    const message = 'must be the same as X-API-Key when both are sent'
    return validationFailed([{ in: 'header', path: '/Authorization', message }])
  }
  return plain ?? bearer
}
