import type { Profile } from '../../judge/src/profile/profile.ts'
import type { Scenario } from './client.ts'
import type { Entry, Run } from './judge-client.ts'

/** How a client named the tries of a call, for the API to recognise them. */
export type Token = 'none' | 'one' | 'several'

/** What a client did with one call that was disturbed. */
export interface Call {
  /** How often it sent the request. */
  readonly tries: number
  /** How long it waited before each further try. */
  readonly waitsMs: readonly number[]
  /** Whether the last try got a response that no fault took or replaced. */
  readonly isAnswered: boolean
  /** Undefined if the API has no token. */
  readonly token: Token | undefined
}

/** What one run showed: facts that can be seen in the recording, and the count of the upstream. */
export interface Observation {
  readonly calls: readonly Call[]
  readonly changes: number
}

export function observe({ archive, changes }: Run, scenario: Scenario, { repeats }: Profile): Observation {
  const groups = [...Map.groupBy(archive.log.entries, callOf).values()]
  const disturbed = groups.filter((entries) => entries.some(({ _fault }) => _fault === scenario))
  return { calls: disturbed.map((tries) => observeCall(tries, repeats)), changes }
}

/** The same for all tries of a call. */
const callOf = ({ request, _operation }: Entry): string =>
  JSON.stringify([request.method, request.url, _operation, request.postData?.text])

function observeCall(entries: readonly Entry[], repeats: Profile['repeats']): Call {
  const waitsMs = entries.slice(1).map((entry, index) => startOf(entry) - endOf(entries[index] as Entry))
  return {
    tries: entries.length,
    waitsMs,
    isAnswered: entries.at(-1)?._fault === undefined,
    token: tokenOf(entries, repeats),
  }
}

const startOf = ({ startedDateTime }: Entry): number => Date.parse(startedDateTime)
const endOf = (entry: Entry): number => startOf(entry) + entry.time

function tokenOf(entries: readonly Entry[], repeats: Profile['repeats']): Token | undefined {
  if (repeats?.header === undefined && repeats?.field === undefined) return undefined
  const tokens = entries.map(
    ({ _name, request }) => _name ?? request.headers.find(({ name }) => name.toLowerCase() === repeats.header)?.value,
  )
  if (tokens.includes(undefined)) return 'none'
  return new Set(tokens).size === 1 ? 'one' : 'several'
}
