import { type ApiError, errorCatalogue, type Fault } from '../api/errors.ts'
import { headerArguments, itemsArgument } from './tool-schemas.ts'

/** An error with everything that helps to act on it. */
export interface ExplainedError {
  readonly code: string
  readonly message: string
  readonly status: number
  readonly advice: string
  readonly requestId: string
  readonly docs: string
  /** Every fault, with its place as a JSON pointer into the arguments. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
  readonly retryAfterSeconds?: number
}

interface Dependencies {
  readonly baseUrl: string
  readonly rewrite: (text: string) => string
}

/** Returns a function that explains an error to a caller that has only tools. */
export const createExplainer =
  ({ baseUrl, rewrite }: Dependencies) =>
  (error: ApiError, requestId: string, isList = false): ExplainedError => {
    const { code, message, status, more } = error
    const wait = more.headers?.['Retry-After']
    const [first] = more.faults ?? []
    // The message names the first fault where HTTP has it.
    const text = first ? message.replace(`${first.in} ${first.path}`, locate(first, isList).path) : message
    return {
      code,
      message: rewrite(text),
      status,
      advice: rewrite(errorCatalogue[code].advice),
      requestId,
      docs: `${baseUrl}/errors#${code}`,
      ...(more.faults && { errors: more.faults.map((fault) => locate(fault, isList)) }),
      ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
    }
  }

function locate({ in: location, path, message }: Fault, isList: boolean) {
  if (location === 'header') return { path: `/${headerArguments[path.slice(1)] ?? path.slice(1)}`, message }
  return { path: location === 'body' && isList ? `/${itemsArgument}${path}` : path, message }
}
