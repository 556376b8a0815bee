import { type ApiError, validationFailed } from '../api/errors.ts'

interface Presented {
  readonly secret?: string
  readonly fault?: ApiError
}

/** The key that a call carries, in `X-API-Key` or as a bearer token. Two different ones are a fault. */
export function presentedKey(apiKey: string | null, authorization: string | null): Presented {
  const bearer = authorization === null ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (apiKey !== null && bearer !== undefined && apiKey !== bearer) {
    const message = 'must be the same as X-API-Key when both are sent'
    return { fault: validationFailed([{ in: 'header', path: '/Authorization', message }]) }
  }
  const secret = apiKey ?? bearer
  return secret === undefined ? {} : { secret }
}
