import { randomBase62 } from '../platform/lib/random.ts'
import type { ClockState } from './clock.ts'
import type { SandboxData, SandboxRecord } from './record.ts'

const seedLength = 22

export interface NewSandbox {
  readonly seed?: string | undefined
  readonly data?: SandboxData | undefined
  readonly lifetimeSeconds: number
  readonly clock?: ClockState | undefined
  readonly isAnnounced?: boolean
}

/** A sandbox on its first day. */
export const newRecord = (
  id: string,
  { seed, data, lifetimeSeconds, clock, isAnnounced }: NewSandbox,
  now: number,
): SandboxRecord => ({
  id,
  seed: seed ?? randomBase62(seedLength),
  data: data ?? 'sample',
  createdAt: now,
  expiresAt: now + lifetimeSeconds * 1000,
  clock: clock ?? { offsetMs: 0 },
  faults: [],
  forged: [],
  random: { sequence: 0, taken: { bytes: 0, uuids: 0 }, isInUse: false },
  ...(isAnnounced && { isAnnounced }),
})
