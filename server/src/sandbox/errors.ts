import { ApiError, apiErrors } from '../platform/api/errors.ts'

/** An error of the host, in the form of the service's errors. The service's own description does not know it. */
export class HostError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: Pick<ApiError['more'], 'headers' | 'faults'> = {},
  ) {
    super(message)
  }
}

export const sandboxNotFound = (): HostError =>
  new HostError(404, 'sandbox_not_found', 'There is no sandbox with this id. It may have ended; create a new one.')

export const sandboxReplaced = (): HostError =>
  new HostError(409, 'sandbox_replaced', 'The sandbox was reset, ended or closed meanwhile. Send the request again.')

/** Whether this error was meant for the client. */
export const isRejection = (error: unknown): error is HostError | ApiError =>
  error instanceof HostError || error instanceof ApiError

/** The response to anything thrown. */
export function errorResponse(error: unknown): Response {
  const { status, code, message, more } = isRejection(error) ? error : new ApiError(apiErrors.internal_error)
  const body = { code, message, status, ...(more.faults && { errors: more.faults }) }
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store', ...more.headers } })
}
