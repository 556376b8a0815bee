import { z } from 'zod'
import type { ClockState } from './clock.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

export const seedShape = z.string().min(1).max(200)
export const dataShape = z.enum(['sample', 'empty'])

/** The time at which a sandbox starts; the host's time if it is not given. */
export const ClockSetting = z.strictObject({
  at: z.iso.datetime({ offset: true }).optional(),
  frozen: z.boolean().optional(),
})

export const NewSandboxShape = z.strictObject({
  seed: seedShape.optional(),
  data: dataShape.optional(),
  lifetimeSeconds: z
    .int()
    .min(1)
    .max(30 * daySeconds)
    .default(daySeconds),
  clock: ClockSetting.optional(),
})

export function clockStateOf({ at, frozen }: z.output<typeof ClockSetting>, hostTime: number): ClockState {
  const time = at === undefined ? hostTime : Date.parse(at)
  return { offsetMs: time - hostTime, ...(frozen && { frozenAt: time }) }
}
