import type { Condition } from './database.ts'
import { stateOf } from './postgres-session.ts'

/** What a server that refuses to write says of itself, by SQLSTATE. */
const refusals: Readonly<Record<string, Condition>> = { 53100: 'disk full', '58030': 'I/O error', 25006: 'read-only' }

/** For how long what a write met is believed without another look. */
const believedMs = 1_000

interface Looks {
  /** Reads: whether the server answers and takes writes. */
  readonly look: () => Promise<Condition>
  /** Writes what needs room on the disk, and undoes it. */
  readonly tryOut: () => Promise<unknown>
}

/**
 * The condition of PostgreSQL, as the last second's writes found it. A server with a full disk still answers, so after a refusal it is
 * tried out with a write, at most once a second, until one succeeds. While all is well nothing is written.
 */
export function createCondition({ look, tryOut }: Looks) {
  let met: { readonly condition: Condition; readonly at: number } | undefined
  let trying: Promise<void> | undefined

  const note = (error: unknown): boolean => {
    const condition = refusals[stateOf(error)]
    if (condition) met = { condition, at: performance.now() }
    return condition !== undefined
  }

  async function tryAgain(): Promise<void> {
    try {
      await tryOut()
      met = undefined
    } catch (error) {
      // What it may not do, or cannot reach, says nothing of the disk.
      if (!note(error)) met = undefined
    }
  }

  return {
    /** Told of every statement that failed. */
    note,
    async read(): Promise<Condition> {
      if (met && performance.now() - met.at >= believedMs) {
        trying ??= tryAgain().finally(() => {
          trying = undefined
        })
        await trying
      }
      return met?.condition ?? look()
    },
  }
}
