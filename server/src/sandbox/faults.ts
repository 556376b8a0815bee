import { setTimeout as pause } from 'node:timers/promises'
import { apiErrors, type ErrorKind } from '../platform/api/errors.ts'
import type { Invocation, Invoke } from '../platform/api/invoke.ts'
import type { Operation, Route } from '../platform/api/operation.ts'
import { pathTemplate } from '../platform/api/path-template.ts'
import { traitsOf } from '../platform/api/traits.ts'
import { randomFraction, type SeededRandom, type Taken } from '../platform/lib/random.ts'
import { Call } from '../surfaces/pipeline.ts'
import { throwError } from './fault-errors.ts'
import { applies, type FaultRule } from './fault-rules.ts'
import { preferredCode, respondAsPreferred } from './prefer.ts'

/** The faults of a sandbox. */
export interface Faults {
  rules(): readonly FaultRule[]
  replace(rules: readonly FaultRule[]): void
  /** Wraps an operation, so that a request can get a fault. It is identified and admitted as any other. */
  wrap(invoke: Invoke, route: Route): Invoke
  /** What this request was given, if that was a fault. */
  givenTo(call: Call): string | undefined
  /** Whether the connection of this request is to be cut instead of responded. */
  isCut(call: Call): boolean
  /** How much of the random sequence was taken. */
  taken(): Taken
}

interface Dependencies {
  readonly operations: readonly Operation[]
  readonly rules: readonly FaultRule[]
  /** What these rules took of the random sequence before. */
  readonly taken: Taken | undefined
  /** The sequence of the sandbox's seed: the same rules strike the same requests. */
  readonly newRandom: (taken?: Taken) => SeededRandom
  /** Called when a rule has struck that applies only so many times. */
  readonly onStrike: (rules: readonly FaultRule[], taken: Taken) => void
}

export function createFaults({ operations, rules: first, taken, newRandom, onStrike }: Dependencies): Faults {
  let rules = [...first]
  let random = newRandom(taken)
  const given = new WeakMap<Invocation, string>()
  const cut = new WeakSet<Invocation>()

  /** The first rule that strikes this request. */
  function strike(call: Call, route: Route, path: string): FaultRule | undefined {
    const candidate = { operation: route.operation, path, method: call.method, now: call.now }
    const index = rules.findIndex(
      (rule) => applies(rule, candidate) && (rule.rate === undefined || randomFraction(random) < rule.rate),
    )
    const rule = rules[index]
    if (rule?.times !== undefined) {
      rules[index] = { ...rule, times: rule.times - 1 }
      onStrike(rules, random.taken())
    }
    return rule
  }

  async function runWith(rule: FaultRule, call: Call, invoke: Invoke, { operation }: Route) {
    const { fault, latencyMs = 0 } = rule
    given.set(call, fault)
    if (latencyMs > 0) await pause(latencyMs)
    if (fault === 'slow') return invoke(call)
    if (fault === 'cut' || fault === 'cut_after') cut.add(call)
    if (fault === 'cut_after') return invoke(call)
    if (fault === apiErrors.outcome_unknown.code) {
      const outcome = await invoke(call)
      // This code is never sent when nothing was done.
      if ('error' in outcome) return outcome
    }
    const kind = traitsOf(operation).errors.find(({ code }) => code === fault)
    return throwError(call, fault === 'cut' ? apiErrors.unavailable : (kind as ErrorKind))
  }

  return {
    rules: () => rules,
    replace(replacing) {
      rules = [...replacing]
      random = newRandom()
    },
    wrap(invoke, route) {
      const pathOf = pathTemplate(route.operation.path)
      return (invocation) => {
        if (!(invocation instanceof Call)) return invoke(invocation)
        const code = preferredCode(invocation.prefer)
        if (code !== undefined) {
          given.set(invocation, code)
          return respondAsPreferred(invocation, route.operation, operations, code)
        }
        const rule = rules.length === 0 ? undefined : strike(invocation, route, pathOf(invocation.params))
        return rule ? runWith(rule, invocation, invoke, route) : invoke(invocation)
      }
    },
    givenTo: (call) => given.get(call),
    isCut: (call) => cut.has(call),
    taken: () => random.taken(),
  }
}
