import { z } from 'zod'
import { defineOperation } from '../api/operation.ts'
import { Ban, Plan } from '../keys/operations.ts'
import { ownMeter } from '../limits/limiter.ts'

const LimitWindow = z
  .object({
    name: z.enum(['minute', 'day']).meta({ description: 'The UTC minute or the UTC day.' }),
    limit: z.int().min(1).meta({ description: 'Requests in the window.' }),
    remaining: z.int().min(0).meta({ description: 'Requests left.' }),
    reset: z.int().meta({ description: 'Unix timestamp at which the window ends.' }),
  })
  .meta({
    id: 'LimitWindow',
    description: 'One of the two windows of a key.',
    example: { name: 'minute', limit: 60, remaining: 59, reset: 1_794_744_060 },
  })

const LimitStatus = z
  .object({
    plan: Plan,
    windows: z.array(LimitWindow),
    ban: Ban.optional(),
  })
  .meta({
    id: 'LimitStatus',
    description: 'What is left of the quota of a key. `ban` is there while the key is banned.',
    example: {
      plan: 'free',
      windows: [
        { name: 'minute', limit: 60, remaining: 59, reset: 1_794_744_060 },
        { name: 'day', limit: 1_000, remaining: 999, reset: 1_794_787_200 },
      ],
    },
  })

export const getLimits = defineOperation({
  id: 'getLimits',
  method: 'get',
  path: '/limits',
  tag: 'Usage',
  summary: 'See what is left',
  description: `The windows of your key and its ban, if any. Costs no quota, works while the key is banned, and has a meter of its own: ${ownMeter.perMinute} a minute.`,
  meter: 'own',
  answers: { 200: { description: 'The windows as they are now.', body: LimitStatus } },
})
