import type { Condition } from './database.ts'
import { stateOf } from './postgres-session.ts'

/** The condition of a server that does not write, by SQLSTATE. */
const rejections: Readonly<Record<string, Condition>> = { 53100: 'disk full', '58030': 'I/O error', 25006: 'read-only' }

/** How long a failed write determines the condition before another check. */
const validMs = 1_000

interface Checks {
  /** Reads whether the server responds and accepts writes. */
  readonly read: () => Promise<Condition>
  /** Writes something that needs disk space, and rolls it back. */
  readonly tryWrite: () => Promise<unknown>
}

/**
 * Tracks the condition of PostgreSQL. A server with a full disk still handles reads, so after a rejected write it is tested with a
 * write, at most once a second, until one succeeds. While all is well nothing is written.
 */
export function createCondition({ read, tryWrite }: Checks) {
  let rejection: { readonly condition: Condition; readonly at: number } | undefined
  let runningTest: Promise<void> | undefined

  const note = (error: unknown): boolean => {
    const condition = rejections[stateOf(error)]
    if (condition) rejection = { condition, at: performance.now() }
    return condition !== undefined
  }

  async function testWrite(): Promise<void> {
    try {
      await tryWrite()
      rejection = undefined
    } catch (error) {
      // A missing permission or connection says nothing about the disk.
      if (!note(error)) rejection = undefined
    }
  }

  return {
    /** Call this with the error of every failed statement. */
    note,
    async check(): Promise<Condition> {
      if (rejection && performance.now() - rejection.at >= validMs) {
        runningTest ??= testWrite().finally(() => {
          runningTest = undefined
        })
        await runningTest
      }
      return rejection?.condition ?? read()
    },
  }
}
