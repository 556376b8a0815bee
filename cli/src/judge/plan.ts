import { createHash } from 'node:crypto'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { ApiProfile } from './profile-file.ts'

/**
 * What is done to a try. `before`: the connection is closed, and the upstream hears nothing; `lost`: it does what was asked, and the response
 * is not sent; `cut`: the connection is closed in the middle of the body; `slow`: the response is held back; `limited` and `unavailable`: a
 * rejection of the profile instead.
 */
export const faults = ['before', 'lost', 'cut', 'slow', 'limited', 'unavailable'] as const
export type Fault = (typeof faults)[number]

/** How many tries of a call a fault disturbs. Three rejections show whether waits grow. */
const triesOf: Readonly<Record<Fault, number>> = { before: 3, lost: 1, cut: 1, slow: 1, limited: 1, unavailable: 3 }
/** Of other calls, a response that comes late or never shows nothing new. */
const onlyWhereLost: readonly Fault[] = ['lost', 'slow']

/** A request, for the plan. */
export interface Call {
  readonly operation: string
  /** Whether its response may be lost: the profile says that it must not be done twice, or names it for that. */
  readonly canLose: boolean
  /** The same for all tries of a call. */
  readonly key: string
}

export interface Plan {
  /** The fault of the next try of a call, if there is one. */
  next(call: Call): Fault | undefined
  /** Call it when the call has succeeded: the same request is a new call then. */
  finish(call: Call): void
}

/** A rejection that the profile does not have is not made up. */
const isKnown = (fault: Fault, { sends }: ApiProfile): boolean =>
  fault === 'limited' || fault === 'unavailable' ? sends[fault] !== undefined : true

/** The faults for the calls of an operation: the first call gets the first one, and so on. The seed decides the order. */
export function faultsOf(
  { operation, canLose }: Omit<Call, 'key'>,
  profile: ApiProfile,
  options: PlanOptions,
): Fault[] {
  const draw = (fault: Fault) => createHash('sha256').update(`${options.seed} ${operation} ${fault}`).digest('hex')
  return faults
    .filter((fault) => isKnown(fault, profile))
    .filter((fault) => options.only?.includes(fault) ?? true)
    .filter((fault) => canLose || !onlyWhereLost.includes(fault))
    .toSorted((a, b) => draw(a).localeCompare(draw(b)))
}

export interface PlanOptions {
  readonly seed: string
  /** Only these. */
  readonly only?: readonly Fault[] | undefined
}

/**
 * Decides by operation and call, not by how many requests there were: clients that make the same calls get the same faults, however often
 * they try again.
 */
export function createPlan(profile: ApiProfile, options: PlanOptions): Plan {
  /** The faults that are left, by operation. */
  const left = new Map<string, Fault[]>()
  const open = new Map<string, { readonly fault: Fault | undefined; tries: number }>()
  const begin = (call: Call) => {
    const faults = left.get(call.operation) ?? faultsOf(call, profile, options)
    left.set(call.operation, faults.slice(1))
    return { fault: faults[0], tries: 0 }
  }
  return {
    next(call) {
      const state = open.get(call.key) ?? begin(call)
      open.set(call.key, state)
      return state.fault !== undefined && state.tries++ < triesOf[state.fault] ? state.fault : undefined
    },
    finish: ({ key }) => void open.delete(key),
  }
}

/** Whether the response of an operation may be lost. A method that is not known may be one of those. */
export function canLose(operation: string, method: string | undefined, { rules, lose }: ApiProfile): boolean {
  const { repeats } = rules
  if (lose.includes(operation)) return true
  if (!repeats || (method !== undefined && !repeats.methods.includes(method))) return false
  return repeats.operations?.includes(operation) ?? true
}

/** The faults of these names. */
export function checkFaults(names: readonly string[] | undefined): Fault[] | undefined {
  const unknown = names?.filter((name) => !faults.some((fault) => fault === name)) ?? []
  if (names?.length === 0) throw new Failure(`--only needs a fault: ${faults.join(', ')}.`, exitCodes.misused)
  if (unknown.length > 0)
    throw new Failure(
      `There is no fault ${unknown.join(', ')}. The faults are ${faults.join(', ')}.`,
      exitCodes.misused,
    )
  return names && faults.filter((fault) => names.includes(fault))
}

/** "lost (one try), unavailable (3 tries)" */
export const describeFaults = (all: readonly Fault[]): string =>
  all.map((fault) => `${fault} (${triesOf[fault] === 1 ? 'one try' : `${triesOf[fault]} tries`})`).join(', ') || 'none'
