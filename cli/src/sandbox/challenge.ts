import type { PetStore } from '@petstore/sdk'
import type { Fault, Sandbox } from '@petstore/sdk/testing'

/** A shop that is set up for a challenge. */
export interface Stage {
  readonly shop: Sandbox
  /** The key of the client that is judged. */
  readonly apiKey: string
  /** The same shop, used by the challenge itself with another key. */
  readonly admin: PetStore
}

/** A lesson for a client: what goes wrong, what the client has to do, and what is checked. */
export interface Challenge {
  readonly name: string
  readonly lesson: string
  /** What the client has to do. */
  readonly task: string
  readonly faults: readonly Fault[]
  /** Stops the shop's clock this many seconds before the end of a minute, so that Retry-After is short. */
  readonly secondsLeft?: number
  /** What the shop does meanwhile, in addition to its faults, until the signal ends it. */
  readonly play?: (stage: Stage, signal: AbortSignal) => Promise<void>
  /** The rules of the report that must pass. */
  readonly rules: readonly string[]
  /** Rules that must not fail: chance may keep them from passing. The others do not matter. */
  readonly mustNotFail?: readonly string[]
  /** What must be in the shop afterwards, as a sentence. */
  readonly result: string
  /** What is there instead; undefined if the result is right. */
  readonly findFault: (stage: Stage) => Promise<string | undefined>
}
