import { again } from './again.ts'

/** Runs `task` after `firstMs`, then `ms` after it last ended, until stopped. A failure is reported and does not end it. */
export const every = (
  ms: number,
  task: () => Promise<void>,
  failed: (error: unknown) => void,
  firstMs = ms,
): { stop(): Promise<void> } => again(() => task().then(() => ms), failed, { firstMs, failedMs: ms })
