import { z } from 'zod'
import type { ClockState } from './clock.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

export const seedShape = z.string().min(1).max(200)
export const dataShape = z.enum(['sample', 'empty'])

/** The latest time that a clock can be set to. */
export const timeMax = Date.UTC(2100, 0, 1)
const isInBounds = (at: string): boolean => Date.parse(at) >= 0 && Date.parse(at) <= timeMax

/** The time at which a sandbox starts; the host's time if it is not given. */
export const ClockSetting = z.strictObject({
  at: z.iso.datetime({ offset: true }).refine(isInBounds, 'must be from 1970 to 2099').optional(),
  frozen: z.boolean().optional(),
})

export const NewSandboxShape = z.strictObject({
  /** The name shown on its pages. */
  name: z.string().min(1).max(100).optional(),
  seed: seedShape.optional(),
  data: dataShape.optional(),
  lifetimeSeconds: z
    .int()
    .min(1)
    .max(30 * daySeconds)
    .default(daySeconds),
  clock: ClockSetting.optional(),
  /** Names of headers, parameters and fields whose values are not recorded. */
  redact: z.array(z.string().min(1).max(100)).max(100).optional(),
})

export function clockStateOf({ at, frozen }: z.output<typeof ClockSetting>, hostTime: number): ClockState {
  const time = at === undefined ? hostTime : Date.parse(at)
  return { offsetMs: time - hostTime, ...(frozen && { frozenAt: time }) }
}
