import { unavailable } from '../platform/api/errors.ts'
import { errorFields, type Log } from '../platform/telemetry/log.ts'
import type { Handler, Handlers } from '../surfaces/http/listener.ts'
import { errorResponse, isRejection, sandboxNotFound } from './errors.ts'

export const hostHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', Vary: 'Accept' }

export type Work = (request: Request, params: Readonly<Record<string, string>>) => Promise<unknown>

/** Responds with what `work` returns, as JSON unless it is a response, or with its error. An unexpected one is logged. */
export const createResponder =
  (log: Log) =>
  (work: Work): Handler =>
  async (request, params) => {
    try {
      const result = await work(request, params)
      if (result instanceof Response) return result
      return result === undefined
        ? new Response(null, { status: 204, headers: hostHeaders })
        : Response.json(result, { headers: hostHeaders })
    } catch (error) {
      if (!isRejection(error)) log.write('error', 'request failed', errorFields(error))
      return errorResponse(error)
    }
  }

/** What is served where there is no such sandbox. */
export const noSandbox: Handlers = { byPath: {}, fallback: () => errorResponse(sandboxNotFound()) }

/** What is served while the host stops. */
export const stopping: Handlers = {
  byPath: {},
  fallback: () => errorResponse(unavailable('The host of the sandboxes is stopping.')),
}

/** What is served where a sandbox could not be opened. */
export const notOpened: Handlers = {
  byPath: {},
  fallback: () => errorResponse(unavailable('The sandbox could not be opened; the log of the host says why.')),
}
