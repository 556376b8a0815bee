import type { Operation } from '../platform/api/operation.ts'
import { canReturn, type FaultRule, otherFaults } from './fault-rules.ts'

/** A request as rules see it. */
export interface Seen {
  readonly operation: Operation
  /** The path as sent, under the sandbox's address. */
  readonly path: string
  /** The method as sent: HEAD uses the operation of GET. */
  readonly method: string
  /** Whether it is the call of an agent's tool: its response is part of another. */
  readonly isOfTool: boolean
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body as text, if a rule needs it. */
  readonly body: string
  readonly now: number
}

/** Whether the rule depends on which attempt of its call a request is. */
export const isAboutAttempt = ({ nth, rate }: FaultRule): boolean => nth !== undefined || rate !== undefined

export const needsBody = (rule: FaultRule): boolean => rule.body !== undefined || isAboutAttempt(rule)

/** Whether a rule is about this request, leaving its attempts and chance aside. */
export function applies(rule: FaultRule, seen: Seen): boolean {
  const { operation, path, method, isOfTool, headers, body, now } = seen
  if (rule.operation !== undefined && rule.operation !== operation.id) return false
  if (rule.method !== undefined && rule.method !== operation.method.toUpperCase()) return false
  if (rule.path !== undefined && rule.path !== operation.path && rule.path !== path) return false
  // The listener can close a connection only in place of a body, and a response to HEAD has none.
  if ((method === 'HEAD' || isOfTool) && otherFaults[rule.fault]?.cut) return false
  if (rule.times === 0 || !canReturn(operation, rule.fault)) return false
  if (rule.header && !Object.entries(rule.header).every(([name, value]) => headers[name.toLowerCase()] === value))
    return false
  if (rule.body && !hasFields(body, rule.body)) return false
  return (
    (rule.from === undefined || now >= Date.parse(rule.from)) &&
    (rule.until === undefined || now < Date.parse(rule.until))
  )
}

function hasFields(text: string, wanted: NonNullable<FaultRule['body']>): boolean {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return false
  }
  return Object.entries(wanted).every(([field, value]) => valueAt(body, field) === value)
}

/** The value of a field, by its name or by its JSON pointer (RFC 6901). */
function valueAt(body: unknown, field: string): unknown {
  const names = field.startsWith('/') ? field.slice(1).split('/') : [field]
  return names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), body)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
