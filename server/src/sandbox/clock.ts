import type { Clock } from '../platform/lib/clock.ts'
import { dayMs } from '../platform/lib/time.ts'
import type { Service } from '../start.ts'

/** What a sandbox's clock shows: the host's time and an offset, or a time at which it stands still. */
export interface ClockState {
  readonly offsetMs: number
  readonly frozenAt?: number | undefined
}

export interface SandboxClock extends Clock {
  state(): ClockState
  set(now: number): void
  freeze(isFrozen: boolean): void
}

export function createSandboxClock(hostTime: () => number, { offsetMs, frozenAt }: ClockState): SandboxClock {
  let offset = offsetMs
  let frozen = frozenAt
  const now = () => frozen ?? hostTime() + offset
  return {
    now,
    // Time jumps only when it is told to, so nothing has to settle.
    settled: now,
    state: () => ({ offsetMs: offset, ...(frozen !== undefined && { frozenAt: frozen }) }),
    set(to) {
      offset = to - hostTime()
      if (frozen !== undefined) frozen = to
    },
    freeze(isFrozen) {
      const at = now()
      frozen = isFrozen ? at : undefined
      offset = at - hostTime()
    },
  }
}

/** Cleanup runs at least this often on the way, however far the clock moves. */
const stepsMin = 60
/** How far the clock moves on if work that was due cannot be finished. */
const stuckStepMs = 1_000

/** Moves the clock forward. Whatever becomes due on the way is done at its own time, in order. */
export async function moveClock(
  clock: SandboxClock,
  to: number,
  service: Pick<Service, 'runDue' | 'nextDueAt'>,
): Promise<void> {
  await service.runDue()
  const stepMs = Math.max(dayMs, (to - clock.now()) / stepsMin)
  while (clock.now() < to) {
    const now = clock.now()
    const due = (await service.nextDueAt()) ?? to
    clock.set(Math.floor(Math.min(to, now + stepMs, due > now ? due : now + stuckStepMs)))
    await service.runDue()
  }
}
