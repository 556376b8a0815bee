import type { ApiError } from '../../platform/api/errors.ts'
import { describeFault, type Fault } from '../../platform/api/faults.ts'
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
    const { code, what, advice, status, more } = error
    const wait = more.headers?.['Retry-After']
    const [first] = more.faults ?? []
    // The message names the first fault where HTTP has it.
    const message = first ? what.replace(describeFault(first), describeFault(asArgument(first, isList))) : what
    return {
      code,
      message: rewrite(message),
      status,
      advice: rewrite(advice),
      requestId,
      docs: `${baseUrl}/errors#${code}`,
      ...(more.faults && {
        errors: more.faults.map((fault) => asArgument(fault, isList)).map(({ path, message }) => ({ path, message })),
      }),
      ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
    }
  }

/** A fault where the arguments of a tool have it, like the fields of one body. */
function asArgument({ in: location, path, message }: Fault, isList: boolean): Fault {
  if (location === 'header') return { in: 'body', path: `/${headerArguments[path.slice(1)] ?? path.slice(1)}`, message }
  return { in: 'body', path: location === 'body' && isList ? `/${itemsArgument}${path}` : path, message }
}
