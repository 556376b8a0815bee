import { z } from 'zod'
import type { ErrorKind } from '../platform/api/errors.ts'
import type { Fault } from '../platform/api/faults.ts'
import type { Operation, Route } from '../platform/api/operation.ts'
import { traitsOf } from '../platform/api/traits.ts'
import type { Cut } from './cut.ts'

const latencyMsMax = 60_000
const rulesMax = 50
const timesMax = 1_000_000

const daySeconds = 86_400
const fieldsMax = 10

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/)
const bodyValue = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()])
const someFields = `must have 1 to ${fieldsMax} fields`
const hasSome = (fields: object): boolean => {
  const { length } = Object.keys(fields)
  return length > 0 && length <= fieldsMax
}

const DateTime = z.iso.datetime({ offset: true })

interface OtherFault {
  /** Whether what was asked for is done. */
  readonly isDone: boolean
  readonly cut?: Cut
  readonly needsLatency?: boolean
}

/** The faults that are not error codes. */
export const otherFaults: Readonly<Record<string, OtherFault>> = {
  cut: { isDone: false, cut: 'before' },
  cut_after: { isDone: true, cut: 'before' },
  cut_body: { isDone: true, cut: 'body' },
  slow: { isDone: true, needsLatency: true },
  slow_before: { isDone: true, needsLatency: true },
}

const createFaultRule = (errors: readonly ErrorKind[]) =>
  z.strictObject({
    /** An operation's id. */
    operation: z.string().max(100).optional(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    /** As in the description, such as `/pets/{petId}`, or as sent, such as `/pets/7`. */
    path: z.string().startsWith('/').max(2_000).optional(),
    /** Headers that the request has, with these values. */
    header: z.record(headerName, z.string().max(1_000)).refine(hasSome, someFields).optional(),
    /** Fields of a JSON body, by name or JSON pointer, with their values. */
    body: z.record(z.string().max(200), bodyValue).refine(hasSome, someFields).optional(),
    /** Only this attempt of a call: the same operation, key, path, query and body. */
    nth: z.int().min(1).max(timesMax).optional(),
    fault: z.enum([...errors.map(({ code }) => code), ...Object.keys(otherFaults)]),
    latencyMs: z.int().min(0).max(latencyMsMax).optional(),
    /** The time for `Retry-After`, instead of the usual one. */
    retryAfterSeconds: z.int().min(0).max(daySeconds).optional(),
    /** Whether `Retry-After` gives that time as a date. */
    retryAfterDate: z.boolean().optional(),
    /** The share of requests that it applies to. */
    rate: z.number().min(0).max(1).optional(),
    /** How many requests it still applies to. */
    times: z.int().min(0).max(timesMax).optional(),
    /** When it applies, by the sandbox's clock. */
    from: DateTime.optional(),
    until: DateTime.optional(),
  })

export type FaultRule = z.output<ReturnType<typeof createFaultRule>>

/** The shape of fault rules, for a service with these errors. */
export const createFaultRules = (errors: readonly ErrorKind[]) =>
  z.strictObject({ rules: z.array(createFaultRule(errors)).max(rulesMax) })

/** Whether a request for an operation can get this response. */
export const canReturn = (operation: Operation, response: string): boolean =>
  response in otherFaults || traitsOf(operation).errors.some(({ code }) => code === response)

/** Whether a path is that of the description, or one as sent. */
function isPathOf({ path }: Operation, given: string): boolean {
  const segments = given.split('/')
  const isAsSent = (own: string, index: number) =>
    own.startsWith('{') ? /^[^?#]+$/.test(segments[index] ?? '') : own === segments[index]
  const own = path.split('/')
  return given === path || (own.length === segments.length && own.every(isAsSent))
}

type Narrowing = [field: keyof FaultRule, message: string, isLeft: (operation: Operation, rule: FaultRule) => boolean]

/** The operations that each field allows. */
const narrowings: readonly Narrowing[] = [
  [
    'operation',
    'is not the id of an operation',
    ({ id }, { operation }) => operation === undefined || operation === id,
  ],
  [
    'method',
    'is not the method of such an operation',
    (operation, { method }) => method === undefined || method === operation.method.toUpperCase(),
  ],
  [
    'path',
    'must be the path of such an operation, without a query',
    (operation, { path }) => path === undefined || isPathOf(operation, path),
  ],
  [
    'body',
    'is not sent to such an operation',
    (operation, { body }) => body === undefined || traitsOf(operation).bodyTypes.length > 0,
  ],
  ['fault', 'is not a response of such an operation', (operation, { fault }) => canReturn(operation, fault)],
]

/** How fields of a rule can contradict each other. */
const contradictions: readonly [field: keyof FaultRule, message: string, isWrong: (rule: FaultRule) => boolean][] = [
  ['times', 'cannot be combined with rate', ({ rate, times }) => rate !== undefined && times !== undefined],
  ['until', 'must be after from', ({ from = '', until = '' }) => Date.parse(until) <= Date.parse(from)],
  [
    'latencyMs',
    'is required for slow and slow_before',
    ({ fault, latencyMs }) => otherFaults[fault]?.needsLatency === true && latencyMs === undefined,
  ],
  [
    'retryAfterSeconds',
    'is only for error codes',
    ({ fault, retryAfterSeconds }) => fault in otherFaults && retryAfterSeconds !== undefined,
  ],
  [
    'retryAfterDate',
    'needs retryAfterSeconds',
    ({ retryAfterSeconds, retryAfterDate }) => retryAfterDate === true && retryAfterSeconds === undefined,
  ],
]

/** Faults of rules that can never apply: a typo must not pass silently. */
export function findRuleFaults(rules: readonly FaultRule[], routes: readonly Route[]): Fault[] {
  return rules.flatMap((rule, index) => {
    const toFault = ([field, message]: readonly [string, string, ...unknown[]]): Fault => ({
      in: 'body',
      path: `/rules/${index}/${field}`,
      message,
    })
    let left = routes
    // The first field that leaves none: those after it would only repeat it.
    const impossible = narrowings.find(([, , isLeft]) => {
      left = left.filter(({ operation }) => isLeft(operation, rule))
      return left.length === 0
    })
    const contradicting = contradictions.filter(([, , isWrong]) => isWrong(rule))
    return [...(impossible ? [impossible] : []), ...contradicting].map(toFault)
  })
}
