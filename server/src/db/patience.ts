import { DatabaseUnavailable } from './database.ts'

const pauseMs = 500

/**
 * Does a step again when the database went away meanwhile, until it has failed for `patienceMs`. `failed` is told each time. A step
 * must find done what it did before.
 */
export const createPatience =
  (patienceMs: number, failed: (error: unknown) => void) =>
  async <T>(step: () => Promise<T>): Promise<T> => {
    let failingSince: number | undefined
    for (;;) {
      try {
        return await step()
      } catch (error) {
        failingSince ??= performance.now()
        const isOver = performance.now() - failingSince >= patienceMs
        if (!(error instanceof DatabaseUnavailable) || isOver) throw error
        failed(error)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
