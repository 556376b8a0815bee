import { type ApiError, validationFailed } from '../api/errors.ts'

interface Presented {
  readonly secret?: string
  readonly fault?: ApiError
}

/** The key a request carries, in `X-API-Key` or as a bearer token. Two different ones are a fault. */
export function presentedKey(headers: Headers): Presented {
  const plain = headers.get('x-api-key')
  const authorization = headers.get('authorization')
  const bearer = authorization === null ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (plain !== null && bearer !== undefined && plain !== bearer) {
    const message = 'must be the same as X-API-Key when both are sent'
    return { fault: validationFailed([{ in: 'header', path: '/Authorization', message }]) }
  }
  const secret = plain ?? bearer
  return secret === undefined ? {} : { secret }
}
