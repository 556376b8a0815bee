import { z } from 'zod'
import type { ErrorKind } from './errors.ts'
import { plainInteger } from './shapes.ts'
import { faultsNamedMax } from './sizes.ts'

const RequestPart = z
  .enum(['body', 'query', 'path', 'header'])
  .meta({ id: 'RequestPart', grows: true, description: 'The part of the request that has the error.', example: 'body' })

const FieldError = z
  .object({
    in: RequestPart,
    path: z.string().meta({
      description:
        'A JSON pointer into the body, or a slash and the name of the parameter, and the position of the value if several were given.',
    }),
    message: z.string().meta({ description: 'What is wrong there.' }),
  })
  .meta({
    id: 'FieldError',
    description: 'One error in a request.',
    example: { in: 'body', path: '/name', message: 'is required' },
  })

/** The shapes of errors of these kinds. */
export function createErrorShapes(kinds: readonly ErrorKind[]) {
  const ErrorCodeShape = z.enum(kinds.map(({ code }) => code)).meta({
    id: 'ErrorCode',
    grows: true,
    description: 'Codes may be added within a version, so handle codes you do not know.',
    example: 'validation_failed',
  })

  const errorFields = {
    code: ErrorCodeShape.meta({ description: 'A machine-readable error code.' }),
    message: z.string().meta({ description: 'A human-readable description of the error.' }),
    status: plainInteger(400, 599).meta({ description: 'The HTTP status code.' }),
    requestId: z
      .string()
      .optional()
      .meta({ description: 'The id of the request, also in `X-Request-Id`. Always sent.' }),
    docs: z.string().optional().meta({ description: 'Where the error is explained. Always sent.' }),
    errors: z.array(FieldError).max(faultsNamedMax).optional().meta({
      description:
        'Every error of a request that failed validation, or of a batch that refers to something that does not exist.',
    }),
  }

  const ErrorShape = z.object(errorFields).meta({ id: 'Error', description: 'The body of every error response.' })

  const Problem = z
    .object({
      ...errorFields,
      type: z.string().meta({ description: 'The same as `docs`.' }),
      title: z.string().meta({ description: 'The code in words.' }),
      detail: z.string().meta({ description: 'The same as `message`.' }),
    })
    .meta({
      id: 'Problem',
      extends: ErrorShape,
      description: 'The Error as problem details (RFC 9457), for `Accept: application/problem+json`.',
    })

  return { error: ErrorShape, problem: Problem }
}
