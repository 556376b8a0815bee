import { z } from 'zod'
import { defineOperation } from '../api/operation.ts'
import { AnswerDateTime, DateTime, IdParam } from '../api/shapes.ts'

const count = z.int().min(0)

const UsageEntry = z
  .object({
    from: AnswerDateTime.meta({ description: 'Start of the hour or day (UTC).' }),
    allowed: count.meta({ description: 'Requests that were admitted.' }),
    limited: count.meta({ description: 'Requests that were refused with 429.' }),
    errors: count.meta({ description: 'Admitted requests that were answered with 4xx or 5xx.' }),
  })
  .meta({
    id: 'UsageEntry',
    description: 'The requests of one hour or day.',
    example: { from: '2026-11-15T12:00:00.000Z', allowed: 120, limited: 3, errors: 2 },
  })

export const getUsage = defineOperation({
  id: 'getUsage',
  method: 'get',
  path: '/usage',
  tag: 'Usage',
  summary: 'See how a key was used',
  description:
    'Requests by hour or day, oldest first, with a line for every hour or day of the range. Hours are kept for 90 days, days for ever. What other nodes have served shows within a second.',
  stability: 'experimental',
  query: z.strictObject({
    from: DateTime.optional().meta({
      description: 'The first hour or day; a day back (per hour) or 30 days back (per day) unless given.',
      example: '2026-11-15T00:00:00Z',
    }),
    to: DateTime.optional().meta({
      description: 'Up to but not including; now unless given.',
      example: '2026-11-16T00:00:00Z',
    }),
    per: z.enum(['hour', 'day']).optional().meta({ description: '`hour` unless given.', example: 'hour' }),
    keyId: IdParam.optional().meta({
      description: 'Another key than the calling one; needs `keys:manage`.',
      example: 1,
    }),
  }),
  answers: { 200: { description: 'The counts.', body: z.array(UsageEntry) } },
  errors: ['insufficient_scope', 'key_not_found'],
})
