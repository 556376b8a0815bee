import { z } from 'zod'
import type { ErrorKind } from '../platform/api/errors.ts'
import type { Fault } from '../platform/api/faults.ts'
import type { Operation, Route } from '../platform/api/operation.ts'
import { traitsOf } from '../platform/api/traits.ts'

export const latencyMsMax = 60_000
const rulesMax = 50
const timesMax = 1_000_000

const DateTime = z.iso.datetime({ offset: true })

/** An error code; `cut` and `cut_after` close the connection before or after the effect; `slow` only waits. */
const otherResponses = ['cut', 'cut_after', 'slow']

const createFaultRule = (errors: readonly ErrorKind[]) =>
  z.strictObject({
    /** The id of an operation. */
    operation: z.string().max(100).optional(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    /** As in the description, such as `/pets/{petId}`, or as sent, such as `/pets/7`. */
    path: z.string().startsWith('/').max(2_000).optional(),
    fault: z.enum([...errors.map(({ code }) => code), ...otherResponses]),
    latencyMs: z.int().min(0).max(latencyMsMax).optional(),
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
  otherResponses.includes(response) || traitsOf(operation).errors.some(({ code }) => code === response)

/** Whether a path is that of the description, or one as sent. */
function isPathOf({ path }: Operation, given: string): boolean {
  const segments = given.split('/')
  const isAsSent = (own: string, index: number) =>
    own.startsWith('{') ? /^[^?#]+$/.test(segments[index] ?? '') : own === segments[index]
  const own = path.split('/')
  return given === path || (own.length === segments.length && own.every(isAsSent))
}

type Narrowing = [field: keyof FaultRule, message: string, isLeft: (operation: Operation, rule: FaultRule) => boolean]

/** What each field leaves of all operations. */
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
  ['fault', 'is not a response of such an operation', (operation, { fault }) => canReturn(operation, fault)],
]

/** Faults of rules that can never apply: a typo must not pass silently. */
export function findRuleFaults(rules: readonly FaultRule[], routes: readonly Route[]): Fault[] {
  return rules.flatMap((rule, index) => {
    const fault = (field: string, message: string): Fault[] => [
      { in: 'body', path: `/rules/${index}/${field}`, message },
    ]
    let left = routes
    for (const [field, message, isLeft] of narrowings) {
      left = left.filter(({ operation }) => isLeft(operation, rule))
      if (left.length === 0) return fault(field, message)
    }
    if (rule.rate !== undefined && rule.times !== undefined) return fault('times', 'cannot be combined with rate')
    if (Date.parse(rule.until ?? '') <= Date.parse(rule.from ?? '')) return fault('until', 'must be after from')
    return rule.fault === 'slow' && rule.latencyMs === undefined ? fault('latencyMs', 'is required for slow') : []
  })
}

interface Candidate {
  readonly operation: Operation
  /** The path as sent, below the sandbox's address. */
  readonly path: string
  /** The method as sent: HEAD uses the operation of GET. */
  readonly method: string
  readonly now: number
}

const cuts = ['cut', 'cut_after']

/** Whether a rule is about this request, leaving chance aside. */
export function applies(rule: FaultRule, { operation, path, method, now }: Candidate): boolean {
  if (rule.operation !== undefined && rule.operation !== operation.id) return false
  if (rule.method !== undefined && rule.method !== operation.method.toUpperCase()) return false
  if (rule.path !== undefined && rule.path !== operation.path && rule.path !== path) return false
  // The listener can close a connection only instead of a body, and a response to HEAD has none.
  if (method === 'HEAD' && cuts.includes(rule.fault)) return false
  if (rule.times === 0 || !canReturn(operation, rule.fault)) return false
  return (
    (rule.from === undefined || now >= Date.parse(rule.from)) &&
    (rule.until === undefined || now < Date.parse(rule.until))
  )
}
