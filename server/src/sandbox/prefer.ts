import { type ErrorCode, errorCatalogue, validationFailed } from '../api/errors.ts'
import type { Outcome } from '../api/idempotency.ts'
import type { Operation } from '../api/operation.ts'
import { traitsOf } from '../api/traits.ts'
import { exampleOf } from '../description/json-schema.ts'
import type { Exchange } from '../http/exchange.ts'
import { throwError } from './fault-errors.ts'

/** The status or error code that `Prefer: code=…` asks for. */
export const preferredCode = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : /(?:^|[\s,;])code="?(\w+)"?/.exec(header)?.[1]

/** Gives the declared answer with this status or error code: an error, or a success with its documented example. */
export function answerPreferred(exchange: Exchange, operation: Operation, code: string): Outcome {
  const status = Number(code)
  const answer = operation.answers[status]
  // A stream has no example.
  if (answer && answer.type === undefined)
    return { status, ...(answer.body && { body: exampleOf(answer.body) }) } as Outcome
  const { errors } = traitsOf(operation)
  const error = errors.find((declared) => declared === code || errorCatalogue[declared].status === status)
  if (error) throwError(exchange, error)
  throw validationFailed([{ in: 'header', path: '/Prefer', message: messageFor(operation, errors) }])
}

const messageFor = ({ answers }: Operation, errors: readonly ErrorCode[]): string =>
  `must name a response of this operation: ${[...Object.keys(answers), ...errors].join(', ')}`
