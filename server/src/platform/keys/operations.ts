import { z } from 'zod'
import { pageOf, pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { scopeMeanings, scopes } from '../api/scopes.ts'
import { AnswerDateTime, AnswerId, DateTime, Name, PathId, text } from '../api/shapes.ts'
import { formatNumber } from '../lib/text.ts'
import { limitsFaults } from './fields.ts'
import { plans, presets } from './plans.ts'

const quotas = Object.entries(plans).map(
  ([plan, { perMinute, perDay }]) =>
    `${plan} ${formatNumber(perMinute)} requests a minute and ${formatNumber(perDay)} a day`,
)

export const Plan = z.enum(['free', 'pro', 'business', 'enterprise']).meta({
  id: 'Plan',
  grows: true,
  description: `The plan sets the quota: ${quotas.join(', ')}, enterprise as agreed.`,
  example: 'free',
})

const meanings = Object.entries(scopeMeanings).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)

export const Scope = z.enum(scopes).meta({
  id: 'Scope',
  grows: true,
  description: `A permission of a key.\n\n${meanings.join('\n')}`,
  example: 'pets:read',
})

const presetScopes = Object.entries(presets).map(([preset, list]) => `- \`${preset}\`: ${list.join(', ')}`)

const Preset = z.enum(Object.keys(presets) as [keyof typeof presets]).meta({
  id: 'Preset',
  grows: true,
  description: `A predefined set of scopes.\n\n${presetScopes.join('\n')}`,
  example: 'client',
})

const limit = z.int().min(1).max(1_000_000_000)

const KeyLimits = z
  .strictObject({
    perMinute: limit.meta({ description: 'Requests per UTC minute.' }),
    perDay: limit.meta({ description: 'Requests per UTC day.' }),
  })
  .meta({ id: 'KeyLimits', description: 'The quota of a key.', example: { perMinute: 60, perDay: 1_000 } })

const name = Name.meta({ description: 'Who or what uses the key. Outer spaces are removed.', example: 'Mobile app' })
const scopeList = z
  .array(Scope)
  .min(1)
  .max(scopes.length)
  .meta({ description: 'The scopes of the key.', example: presets.client })

const presetMessage = 'or preset is required, and not both'
const presetOrScopes = () => ({ code: 'custom' as const, path: ['scopes'], message: presetMessage })

export const NewApiKey = z
  .strictObject({
    name,
    plan: Plan,
    preset: Preset.optional(),
    scopes: scopeList.optional(),
    limits: KeyLimits.optional(),
    expiresAt: DateTime.optional().meta({ description: 'When the key expires.' }),
  })
  .superRefine((key, context) => {
    if ((key.preset === undefined) === (key.scopes === undefined)) context.addIssue(presetOrScopes())
    for (const fault of limitsFaults(key.plan, key.limits)) context.addIssue({ code: 'custom', ...fault })
  })
  .meta({
    id: 'NewApiKey',
    description:
      'A new key. Give `preset` or `scopes`. `limits` is required for the plan enterprise and rejected for the others.',
    example: { name: 'Mobile app', plan: 'free', preset: 'client' },
  })

export type NewKey = z.output<typeof NewApiKey>

const KeyLimitsPatch = KeyLimits.partial().meta({
  id: 'KeyLimitsPatch',
  description: 'The part of the quota to change.',
  example: { perMinute: 120 },
})

const ApiKeyPatch = z
  .strictObject({
    name: name.optional(),
    plan: Plan.optional(),
    preset: Preset.optional(),
    scopes: scopeList.optional(),
    limits: KeyLimitsPatch.optional(),
    expiresAt: DateTime.nullable().optional(),
  })
  .superRefine((key, context) => {
    if (key.preset !== undefined && key.scopes !== undefined) {
      context.addIssue(presetOrScopes())
    }
  })
  .meta({
    id: 'ApiKeyPatch',
    description: 'The fields to change. `null` removes the expiry.',
    example: { plan: 'pro' },
  })

export type KeyPatch = z.output<typeof ApiKeyPatch>

export const Ban = z
  .object({
    until: AnswerDateTime.meta({ description: 'When it ends.' }),
    level: z
      .int()
      .min(1)
      .meta({ description: 'The number of consecutive bans; each lasts twice as long as the one before.' }),
  })
  .meta({ id: 'Ban', description: 'A temporary ban.', example: { until: '2026-11-15T12:02:00.000Z', level: 1 } })

const keyFields = {
  id: AnswerId.meta({ description: 'Assigned on creation.' }),
  name,
  prefix: z.string().meta({ description: 'The first characters of the secret, to identify the key.' }),
  plan: Plan,
  limits: KeyLimits,
  scopes: scopeList,
  createdAt: AnswerDateTime,
  expiresAt: AnswerDateTime.optional(),
  lastUsedAt: AnswerDateTime.optional().meta({ description: 'Accurate to the minute.' }),
  ban: Ban.optional(),
}

const example = {
  id: 2,
  name: 'Mobile app',
  prefix: 'ps_4fG7k',
  plan: 'free',
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: presets.client,
  createdAt: '2026-11-15T12:00:00.000Z',
}

export const ApiKey = z.object(keyFields).meta({ id: 'ApiKey', description: 'A key, without its secret.', example })

const ApiKeyWithSecret = z
  .object({
    ...keyFields,
    secret: z.string().meta({ description: 'Returned only in this response and its idempotent replays.' }),
  })
  .meta({
    id: 'ApiKeyWithSecret',
    extends: ApiKey,
    description: 'A key with its new secret, which is shown only once.',
    example: { ...example, secret: 'ps_4fG7kQ2mX9sT1vB6nC8dL3pR5wY0zA2bH4jK' },
  })

export const graceSecondsDefault = 86_400

/** The minimum for the only key that can manage keys: if the response with the new secret were lost, no one could get in. */
export const onlyManagerGraceSeconds = 15 * 60

const RotateKey = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(graceSecondsDefault)
      .meta({
        description: `How long the old secret keeps working; ${formatNumber(graceSecondsDefault)} by default. At least ${onlyManagerGraceSeconds} for the only key that can manage keys.`,
      }),
  })
  .prefault({})
  .meta({ id: 'RotateKey', description: 'How to rotate a key.', example: { graceSeconds: 3_600 } })

export type Rotation = z.output<typeof RotateKey>

const KeyPath = z.object({ keyId: PathId.meta({ description: 'The id of a key.', example: 2, parameter: 'KeyId' }) })

const tag = 'API keys'
const scope = 'keys:manage'
// Without lastUsedAt: using a key must not make an edit of it fail.
const etag = { derived: ['lastUsedAt'] }

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'get',
  path: '/keys',
  sdk: 'keys.list',
  tag,
  summary: 'List keys',
  description: 'All keys that are not revoked, without their secrets.',
  scope,
  query: z.strictObject({
    q: text(200).optional().meta({ description: 'Part of the name, ignoring the case of A to Z.', example: 'app' }),
    sort: z.enum(['id', '-id']).optional().meta({ description: 'The sort order; `id` by default.', example: '-id' }),
    ...pageParams,
  }),
  answers: { 200: { description: 'A page of keys.', body: pageOf(ApiKey) } },
})

export const createKey = defineOperation({
  id: 'createKey',
  method: 'post',
  path: '/keys',
  sdk: 'keys.create',
  tag,
  summary: 'Create a key',
  description:
    'Creates a key and shows its secret once; only a hash of the secret is stored. The new key may have any scope and any limits, regardless of the calling key. So give `keys:manage` only to someone you trust with everything.',
  scope,
  body: NewApiKey,
  answers: { 201: { description: 'The key with its secret.', body: ApiKeyWithSecret } },
  secretField: 'secret',
  etag,
})

export const getKey = defineOperation({
  id: 'getKey',
  method: 'get',
  path: '/keys/{keyId}',
  sdk: 'keys.get',
  tag,
  summary: 'Get a key',
  description: 'One key by its id.',
  scope,
  params: KeyPath,
  answers: { 200: { description: 'The key.', body: ApiKey } },
  errors: ['key_not_found'],
  etag,
})

export const updateKey = defineOperation({
  id: 'updateKey',
  method: 'patch',
  path: '/keys/{keyId}',
  sdk: 'keys.update',
  tag,
  summary: 'Change a key',
  description:
    'A merge patch (RFC 7396). Takes effect on every node within a second. The plan enterprise requires limits; the other plans reject them.',
  scope,
  params: KeyPath,
  body: ApiKeyPatch,
  answers: { 200: { description: 'The updated key.', body: ApiKey } },
  errors: ['key_not_found', 'last_admin_key'],
  etag,
})

export const revokeKey = defineOperation({
  id: 'revokeKey',
  method: 'delete',
  path: '/keys/{keyId}',
  sdk: 'keys.revoke',
  tag,
  summary: 'Revoke a key',
  description: 'The key stops working on every node within a second, permanently. Its orders are retained.',
  scope,
  params: KeyPath,
  answers: { 204: { description: 'The key is revoked.' } },
  errors: ['key_not_found', 'last_admin_key'],
  etag,
})

export const rotateKey = defineOperation({
  id: 'rotateKey',
  method: 'post',
  path: '/keys/{keyId}/rotate',
  sdk: 'keys.rotate',
  exampleParams: { keyId: 1 },
  tag,
  summary: 'Rotate a key',
  description: `Gives the key a new secret. The old one keeps working for the grace period. If no other key can manage keys, it works for at least ${onlyManagerGraceSeconds / 60} more minutes, in case this response is lost; to end it immediately, first create another key with \`keys:manage\`.`,
  scope,
  params: KeyPath,
  body: RotateKey,
  answers: { 200: { description: 'The key with its new secret.', body: ApiKeyWithSecret } },
  errors: ['key_not_found'],
  secretField: 'secret',
  etag,
})

export const liftBan = defineOperation({
  id: 'liftBan',
  method: 'delete',
  path: '/keys/{keyId}/ban',
  sdk: 'keys.unban',
  exampleParams: { keyId: 1 },
  tag,
  summary: 'Lift a ban',
  description: 'Ends the ban of a key and resets its strikes. Does nothing if the key is not banned.',
  scope,
  params: KeyPath,
  answers: { 204: { description: 'The key is not banned.' } },
  errors: ['key_not_found'],
  etag,
})

export const keyOperations = [listKeys, createKey, getKey, updateKey, revokeKey, rotateKey, liftBan]
