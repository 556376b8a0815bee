import type { Profile } from '@petstore/judge/profile'
import { apiErrors } from '../platform/api/errors.ts'
import type { Operation } from '../platform/api/operation.ts'
import { type Traits, traitsOf } from '../platform/api/traits.ts'
import { feedErrors } from '../platform/feed/operations.ts'
import { webhookErrors } from '../platform/webhooks/operations.ts'
import { attemptTimeoutMs } from '../platform/webhooks/send.ts'

/** The guide that explains each rule. */
const guides = {
  'retry-after': 'limits',
  bans: 'limits',
  repeats: 'idempotent-retries',
  pages: 'pagination',
  signatures: 'webhooks',
  credentials: 'keys',
  'back-off': 'idempotent-retries',
  jitter: 'idempotent-retries',
  retries: 'errors',
  rejections: 'errors',
  conditions: 'conditional-requests',
  deprecation: 'deprecation',
  streams: 'events',
  webhooks: 'webhooks',
}

/** How the API signals what a client has to know, from the definitions of its operations. */
export function profileOf(operations: readonly Operation[], baseUrl: string): Profile {
  const idsWhere = (test: (operation: Operation, traits: Traits) => boolean) =>
    operations.filter((operation) => test(operation, traitsOf(operation))).map(({ id }) => id)
  const { rate_limited, quota_exhausted, key_banned, unavailable } = apiErrors
  const limited = [rate_limited, quota_exhausted, key_banned].map(({ code }) => code)
  const events = idsWhere(({ tag }, { isPaged }) => tag === 'Events' && isPaged)
  return {
    errors: {
      codeField: 'code',
      retry: { codes: [unavailable.code] },
      // Time or another request ends these; a 500 may be a fault that persists.
      mayRetry: {
        codes: [
          ...limited,
          apiErrors.outcome_unknown.code,
          apiErrors.idempotency_in_progress.code,
          apiErrors.internal_error.code,
          feedErrors.too_many_streams.code,
          webhookErrors.webhook_backlog_full.code,
        ],
      },
    },
    limits: {
      statuses: [rate_limited.status],
      scope: 'client',
      exempt: idsWhere(({ meter }) => meter === 'own'),
      liftedBy: idsWhere(({ id }) => id === 'unbanKey' || id === 'updateKey'),
      resetHeader: 'x-ratelimit-reset',
      remainingHeader: 'x-ratelimit-remaining',
    },
    bans: { codes: [key_banned.code], windowsHeader: 'ratelimit' },
    repeats: {
      methods: ['POST'],
      header: 'idempotency-key',
      operations: idsWhere((_, { takesIdempotencyKey }) => takesIdempotencyKey),
      nothingDone: { codes: [unavailable.code] },
      outcomeUnknown: { codes: [apiErrors.outcome_unknown.code] },
      reused: { codes: [apiErrors.idempotency_key_reused.code] },
      mustBeSettled: true,
      shownBy: events,
    },
    conditions: { operations: idsWhere((_, { takesIfMatch }) => takesIfMatch) },
    pages: { cursor: 'cursor', invalid: { codes: [apiErrors.invalid_cursor.code] } },
    deprecation: { header: 'deprecation' },
    streams: {
      operations: idsWhere((_, { takesLastEventId }) => takesLastEventId),
      parameter: 'after',
      // A client that missed events may read the resources again.
      shownBy: idsWhere(({ method, meter }, { takesLastEventId }) => method === 'get' && !meter && !takesLastEventId),
    },
    webhooks: { respondWithinSeconds: attemptTimeoutMs / 1000 },
    // The recorder writes `…` for secrets, and for what has the name of a secret: a page token is not one.
    credentials: { inAddress: ['(?<!(page|next|continuation|sync)[-_.]?token=)…'], sendIn: 'the header X-API-Key' },
    guides: Object.fromEntries(
      Object.entries(guides).map(([rule, guide]) => [rule, `${baseUrl}/docs/guides/${guide}`]),
    ),
  }
}
