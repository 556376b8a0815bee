import { z } from 'zod'

const FaultShape = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']).meta({ description: 'Where the fault is.' }),
    path: z
      .string()
      .meta({ description: 'A JSON pointer into the body, or the name of the parameter behind a slash.' }),
    message: z.string().meta({ description: 'What is wrong there.' }),
  })
  .meta({
    id: 'Fault',
    description: 'One fault of a request.',
    example: { in: 'body', path: '/name', message: 'is required' },
  })

const faults = z.array(FaultShape).optional().meta({ description: 'Every fault of a request that failed validation.' })
const requestId = z.string().meta({ description: 'The id of the request, also in `X-Request-Id`.' })

export const ErrorShape = z
  .object({
    code: z.string().meta({ description: 'A machine-readable error code.' }),
    message: z.string().meta({ description: 'A human-readable description of the error.' }),
    status: z.int().meta({ description: 'The HTTP status code.' }),
    requestId,
    docs: z.string().meta({ description: 'Where the error is explained.' }),
    errors: faults,
  })
  .meta({ id: 'Error', description: 'What every error answer holds.' })

export const Problem = z
  .object({
    type: z.string().meta({ description: 'Where the error is explained.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    requestId,
    errors: faults,
  })
  .meta({
    id: 'Problem',
    description: 'The same facts as problem details (RFC 9457), for `Accept: application/problem+json`.',
  })
