import { z } from 'zod'
import { apiErrors } from '../api/errors.ts'
import { defineOperation } from '../api/operation.ts'
import { BooleanParam, Count, DateTime, IdParam, ResponseDateTime, ResponseId } from '../api/shapes.ts'
import { keyErrors } from '../keys/operations.ts'
import { ownMeter } from '../keys/plans.ts'
import { Ban, type KeyShapes, Plan } from '../keys/shapes.ts'
import { entriesMax } from './range.ts'

const tag = 'Usage'

const WindowName = z
  .enum(['minute', 'day'])
  .meta({ id: 'WindowName', grows: true, description: 'The UTC minute or the UTC day.', example: 'minute' })

const LimitWindow = z
  .object({
    name: WindowName,
    limit: z.int().min(1).meta({ description: 'The most requests in the window.' }),
    remaining: Count.meta({ description: 'Requests left.' }),
    reset: Count.meta({ description: 'Unix timestamp at which the window ends.' }),
  })
  .meta({
    id: 'LimitWindow',
    description: 'One of the two windows of a key.',
    example: { name: 'minute', limit: 60, remaining: 59, reset: 1_794_744_060 },
  })

const UsageEntry = z
  .object({
    from: ResponseDateTime.meta({ description: 'Start of the hour or day (UTC).' }),
    allowed: Count.meta({ description: 'Requests that were admitted.' }),
    limited: Count.meta({ description: 'Requests that were rejected with 429.' }),
    errors: Count.meta({ description: 'Admitted requests with a 4xx or 5xx response.' }),
    strikes: Count.meta({ description: 'Rejected requests that count towards a ban.' }),
  })
  .meta({
    id: 'UsageEntry',
    description: 'The requests of one hour or day.',
    example: { from: '2026-11-15T12:00:00.000Z', allowed: 120, limited: 3, errors: 2, strikes: 1 },
  })

export function createUsageOperations({ Scope, scopesMax, example }: KeyShapes) {
  const LimitStatus = z
    .object({
      keyId: ResponseId.meta({ description: 'The calling key.' }),
      plan: Plan,
      scopes: z.array(Scope).max(scopesMax).meta({ description: 'The scopes of the calling key.' }),
      windows: z.array(LimitWindow).max(2),
      ban: Ban.optional(),
    })
    .meta({
      id: 'LimitStatus',
      description: 'The scopes of a key and the state of its limits. `ban` is present while the key is banned.',
      example: {
        keyId: 2,
        plan: 'free',
        scopes: example.scopes,
        windows: [
          { name: 'minute', limit: 60, remaining: 59, reset: 1_794_744_060 },
          { name: 'day', limit: 1_000, remaining: 999, reset: 1_794_787_200 },
        ],
      },
    })

  const getLimits = defineOperation({
    id: 'getLimits',
    method: 'get',
    path: '/limits',
    sdk: 'limits.get',
    tag,
    summary: 'Get the current limits',
    description: `Returns how much of its limits and quota your key has left, its scopes, and its ban, if any. Costs nothing, works while the key is banned, and has a separate limit of ${ownMeter.perMinute} requests per minute.`,
    meter: 'own',
    responses: { 200: { description: 'The current state of the limits.', body: LimitStatus } },
  })

  const getUsage = defineOperation({
    id: 'getUsage',
    method: 'get',
    path: '/usage',
    sdk: 'usage.get',
    tag,
    summary: 'Get the usage of a key',
    description:
      'Returns the usage of a key: its requests per hour or day, oldest first, with an entry for every hour or day of the range. Hours are retained for 90 days, days forever. Requests served by other nodes appear within a second.',
    stability: {
      level: 'experimental',
      reason: 'Made for the console and the command line; whether other clients need these counts is not known yet.',
    },
    query: z.strictObject({
      from: DateTime.optional().meta({
        description: 'The first hour or day. By default 24 hours ago (per hour) or 30 days ago (per day).',
        example: '2026-11-15T00:00:00Z',
      }),
      to: DateTime.optional().meta({
        description: 'The end of the range, exclusive; now by default.',
        example: '2026-11-16T00:00:00Z',
      }),
      per: z.enum(['hour', 'day']).optional().meta({ description: 'The unit; `hour` by default.', example: 'hour' }),
      keyId: IdParam.optional().meta({
        description: 'A key other than the calling one; requires `keys:manage`.',
        example: 1,
      }),
      allKeys: BooleanParam.optional().meta({
        description: 'The sums of all keys instead, revoked ones included; requires `keys:manage`.',
        example: false,
      }),
    }),
    responses: { 200: { description: 'The counts.', body: z.array(UsageEntry).max(entriesMax) } },
    errors: [apiErrors.insufficient_scope, keyErrors.key_not_found],
  })

  return { getLimits, getUsage }
}

export type UsageOperations = ReturnType<typeof createUsageOperations>
