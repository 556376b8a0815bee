import { DatabaseUnavailable } from './database.ts'

const pauseMs = 500

/** Retries a step while the database is unavailable, for up to `patienceMs`. `onFailure` is called each time. Steps must be idempotent. */
export const createPatience =
  (patienceMs: number, onFailure: (error: unknown) => void) =>
  async <T>(step: () => Promise<T>): Promise<T> => {
    let failingSince: number | undefined
    for (;;) {
      try {
        return await step()
      } catch (error) {
        failingSince ??= performance.now()
        const isTimeUp = performance.now() - failingSince >= patienceMs
        if (!(error instanceof DatabaseUnavailable) || isTimeUp) throw error
        onFailure(error)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
