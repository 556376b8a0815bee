import { validationFailed } from '../platform/api/errors.ts'
import type { Outcome } from '../platform/api/idempotency.ts'
import type { AnyReply, Operation, ResponseSpec } from '../platform/api/operation.ts'
import { traitsOf } from '../platform/api/traits.ts'
import { exampleOf } from '../surfaces/description/json-schema.ts'
import type { Call } from '../surfaces/pipeline.ts'
import { throwError } from './fault-errors.ts'

/** The name of a preference and its value, which may be quoted (RFC 7240). */
const preference = /([^\s=,;"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g

/** The status or error code that `Prefer: code=…` asks for. */
export function preferredCode(header = ''): string | undefined {
  for (const [, name, quoted, plain = ''] of header.matchAll(preference))
    if (name?.toLowerCase() === 'code') return quoted ?? plain
  return undefined
}

/** Gives the declared response with this status or error code: an error, or a success with its documented example. */
export function respondAsPreferred(
  call: Call,
  operation: Operation,
  operations: readonly Operation[],
  code: string,
): Outcome {
  const { errors, takesIfNoneMatch } = traitsOf(operation)
  const successes = [...Object.keys(operation.responses), ...(takesIfNoneMatch ? ['304'] : [])]
  if (successes.includes(code)) return exampleReply(operation, operations, Number(code))
  const error = errors.find((declared) => declared.code === code || String(declared.status) === code)
  if (error) throwError(call, error)
  const message = `must name a response of this operation: ${[...successes, ...errors.map((kind) => kind.code)].join(', ')}`
  throw validationFailed([{ in: 'header', path: '/Prefer', message }])
}

/** A success with the example of its body. The body of 304 is not sent, and gives it its ETag. */
function exampleReply(operation: Operation, operations: readonly Operation[], status: number): AnyReply {
  const { body: shape, type } = operation.responses[status === 304 ? 200 : status] as ResponseSpec
  const body = shape && exampleOf(shape)
  if (type !== undefined) return { status, body: new Response(String(body)).body }
  const hasLocation = traitsOf(operation).headersOf(status).includes('Location')
  return { status, body, ...(hasLocation && { location: locationOf(operation, operations, body as Resource) }) }
}

/** What was created. The path names its id as the body does, or it is the `id` there. */
type Resource = Readonly<Record<string, unknown>>

/** Where a created resource can be read, by a non-deprecated operation. */
function locationOf({ path }: Operation, operations: readonly Operation[], resource: Resource): string {
  const isBelow = (other: string) => other === path || other.startsWith(`${path}/{`)
  const read = operations.find((other) => traitsOf(other).takesIfNoneMatch && !other.deprecation && isBelow(other.path))
  return (read?.path ?? path).replace(/\{(\w+)\}/, (_, name: string) => String(resource[name] ?? resource.id))
}
