import { setTimeout as pause } from 'node:timers/promises'
import { apiErrors, type ErrorKind } from '../platform/api/errors.ts'
import type { Outcome } from '../platform/api/idempotency.ts'
import type { Invocation, Invoke } from '../platform/api/invoke.ts'
import type { Operation, Route } from '../platform/api/operation.ts'
import { pathTemplate } from '../platform/api/path-template.ts'
import { traitsOf } from '../platform/api/traits.ts'
import { type Awaitable, after } from '../platform/lib/awaitable.ts'
import { Exchange } from '../surfaces/http/request.ts'
import { Call } from '../surfaces/pipeline.ts'
import { type AttemptCounts, createAttempts } from './attempts.ts'
import { throwError } from './fault-errors.ts'
import { type FaultRule, otherFaults } from './fault-rules.ts'
import { applies, isAboutAttempt, needsBody, type Seen } from './matching.ts'
import { preferredCode, respondAsPreferred } from './prefer.ts'

/** The faults of a sandbox. */
export interface Faults {
  rules(): readonly FaultRule[]
  replace(rules: readonly FaultRule[]): void
  /** Wraps an operation, so that a request can get a fault. The request is identified and admitted like any other. */
  wrap(invoke: Invoke, route: Route): Invoke
  /** What this request was given, if that was a fault: an error code, `cut` and the like, or the code of `Prefer`. */
  givenTo(call: Call): string | undefined
  /** The rule that applied to this request. */
  ruleOf(call: Call): FaultRule | undefined
  /** How often each call was sent since the rules were set. */
  attempts(): AttemptCounts
}

interface Dependencies {
  readonly operations: readonly Operation[]
  readonly rules: readonly FaultRule[]
  readonly attempts: AttemptCounts | undefined
  /** A number from 0 to 1 for this name, derived from the sandbox's seed. */
  readonly fractionOf: (name: string) => number
  /** Called when a rule that applies a limited number of times has applied. */
  readonly onStrike: (rules: readonly FaultRule[], attempts: AttemptCounts) => void
}

/** A rule that applies to a request. */
interface Struck {
  readonly rule: FaultRule
  /** For a request that was not given the fault in the end. */
  readonly giveBack: () => void
}

export function createFaults(dependencies: Dependencies): Faults {
  const { operations, fractionOf, onStrike } = dependencies
  let rules = [...dependencies.rules]
  let attempts = createAttempts(dependencies.attempts)
  const preferred = new WeakMap<Invocation, string>()
  const struck = new WeakMap<Invocation, FaultRule>()

  /** The first rule that applies to this request. */
  function strike(call: Call, { operation }: Route, path: string, body: string): Struck | undefined {
    const { method, headers, now } = call
    const seen: Seen = { operation, path, body, method, isOfTool: !(call instanceof Exchange), headers, now }
    const identity = JSON.stringify([operation.id, path, queryOf(call), normalise(body)])
    const attempt = rules.some(isAboutAttempt) ? attempts.count(`${call.admission?.key?.keyId} ${identity}`) : 1
    const index = rules.findIndex(
      (rule, number) =>
        applies(rule, seen) &&
        (rule.nth === undefined || rule.nth === attempt) &&
        // By the call alone: each client gets the same faults, with any key, and whatever else it sends.
        (rule.rate === undefined || fractionOf(`${number} ${attempt} ${identity}`) < rule.rate),
    )
    const [all, rule] = [rules, rules[index]]
    const count = (by: number) => {
      const counted = all[index]
      if (counted?.times === undefined) return
      all[index] = { ...counted, times: counted.times + by }
      // They may have been replaced meanwhile.
      if (all === rules) onStrike(rules, attempts.counts())
    }
    count(-1)
    return rule && { rule, giveBack: () => count(1) }
  }

  async function runWith(one: Struck, call: Call, invoke: Invoke, { operation }: Route) {
    const { rule } = one
    const { fault, latencyMs = 0 } = rule
    struck.set(call, rule)
    const isLateBefore = fault === 'slow_before'
    if (isLateBefore) await pause(latencyMs)
    try {
      return await outcomeOf(one, call, invoke, operation)
    } finally {
      // After the effect, which stays even if the client leaves in the meantime.
      if (latencyMs > 0 && !isLateBefore) await pause(latencyMs)
    }
  }

  async function outcomeOf(one: Struck, call: Call, invoke: Invoke, operation: Operation): Promise<Outcome> {
    const { rule, giveBack } = one
    const { fault } = rule
    if (otherFaults[fault]?.isDone) return invoke(call)
    if (fault === apiErrors.outcome_unknown.code) {
      // This code is never sent when nothing was done: then the response is the service's own.
      struck.delete(call)
      let isDone = false
      try {
        const outcome = await invoke(call)
        if ('error' in outcome) return outcome
        isDone = true
      } finally {
        if (!isDone) giveBack()
      }
      struck.set(call, rule)
    }
    const kind = traitsOf(operation).errors.find(({ code }) => code === fault)
    return throwError(call, fault === 'cut' ? apiErrors.unavailable : (kind as ErrorKind))
  }

  return {
    rules: () => rules,
    replace(replacing) {
      rules = [...replacing]
      attempts = createAttempts()
    },
    wrap(invoke, route) {
      const pathOf = pathTemplate(route.operation.path)
      const takesBody = traitsOf(route.operation).bodyTypes.length > 0
      const run = (call: Call, body: string) => {
        const one = strike(call, route, pathOf(call.params), body)
        return one ? runWith(one, call, invoke, route) : invoke(call)
      }
      const respond = (call: Call, code: string | undefined): Awaitable<Outcome> => {
        if (code !== undefined) {
          preferred.set(call, code)
          return respondAsPreferred(call, route.operation, operations, code)
        }
        // One that cannot be read is rejected by the operation.
        const body = takesBody && rules.some(needsBody) ? call.body().catch(() => '') : ''
        return after(body, (text) => run(call, text))
      }
      return (call): Awaitable<Outcome> => {
        if (!(call instanceof Call)) return invoke(call)
        const code = preferredCode(call.prefer)
        if (code === undefined && rules.length === 0) return invoke(call)
        // The gate must have decided: it would replace the limits that a fault shows.
        return call.allowed ? call.allowed.then(() => respond(call, code)) : respond(call, code)
      }
    },
    givenTo: (call) => struck.get(call)?.fault ?? preferred.get(call),
    ruleOf: (call) => struck.get(call),
    attempts: () => attempts.counts(),
  }
}

/** A body of JSON with its fields in one order: programs write the same in different ways. */
function normalise(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => (isObject(value) ? sortFields(value) : value))
  } catch {
    return text
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sortFields = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

/** The parameters in one order. The operation rejects those that have no text form. */
function queryOf(call: Call): unknown {
  try {
    return Object.entries(call.query ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  } catch {
    return []
  }
}
