import { z } from 'zod'
import type { Scope } from '../api/operation.ts'
import { DateTime, Name, ResponseDateTime, ResponseId } from '../api/shapes.ts'
import { formatNumber } from '../lib/text.ts'
import { limitsFaults } from './fields.ts'
import { plans } from './plans.ts'

const quotas = Object.entries(plans).map(
  ([plan, { perMinute, perDay }]) =>
    `${plan} ${formatNumber(perMinute)} requests a minute and ${formatNumber(perDay)} a day`,
)

export const Plan = z.enum(['free', 'pro', 'business', 'enterprise']).meta({
  id: 'Plan',
  grows: true,
  description: `The plan sets the quota: ${quotas.join(', ')}, enterprise as agreed. Requests may write it in any letter case; responses have lower case.`,
  example: 'free',
})

/** A plan in a request: in any letter case. */
const PlanInput = z
  .preprocess((value) => (typeof value === 'string' ? value.toLowerCase() : value), Plan)
  .meta({ wire: { $ref: '#/components/schemas/Plan' } })

const limit = z.int().min(1).max(1_000_000_000)

const KeyLimits = z
  .strictObject({
    perMinute: limit.meta({ description: 'Requests per UTC minute.' }),
    perDay: limit.meta({ description: 'Requests per UTC day.' }),
  })
  .meta({ id: 'KeyLimits', description: 'The quota of a key.', example: { perMinute: 60, perDay: 1_000 } })

const name = Name.meta({ description: 'Who or what uses the key. Outer spaces are removed.', example: 'Mobile app' })
const KeyLimitsPatch = KeyLimits.partial().meta({
  id: 'KeyLimitsPatch',
  description: 'The part of the quota to change.',
  example: { perMinute: 120 },
})

export const Ban = z
  .object({
    until: ResponseDateTime.meta({ description: 'When it ends.' }),
    level: z
      .int()
      .min(1)
      .meta({ description: 'The number of consecutive bans; each lasts twice as long as the one before.' }),
  })
  .meta({ id: 'Ban', description: 'A temporary ban.', example: { until: '2026-11-15T12:02:00.000Z', level: 1 } })

export const graceSecondsDefault = 86_400

/** The minimum for the only key that can manage keys: if the response with the new secret were lost, no one could get in. */
export const onlyManagerGraceSeconds = 15 * 60

export const RotateKey = z
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

const presetMessage = 'is required without preset, and not allowed with it'
const presetOrScopes = () => ({ code: 'custom' as const, path: ['scopes'], message: presetMessage })

/** The scopes of a service with what each allows, and its presets: named sets of scopes. */
export interface Permissions {
  readonly meanings: Readonly<Record<Scope, string>>
  readonly presets: Readonly<Record<string, readonly Scope[]>>
  /** The preset that examples use. */
  readonly examplePreset: string
}

/** The shapes that depend on the scopes of the service. */
export function createKeyShapes({ meanings, presets, examplePreset }: Permissions) {
  const scopes = Object.keys(meanings)
  const described = Object.entries(meanings).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)

  const Scope = z.enum(scopes).meta({
    id: 'Scope',
    grows: true,
    description: `A permission of a key.\n\n${described.join('\n')}`,
    example: scopes[0],
  })

  const presetScopes = Object.entries(presets).map(([preset, list]) => `- \`${preset}\`: ${list.join(', ')}`)

  const Preset = z.enum(Object.keys(presets)).meta({
    id: 'Preset',
    grows: true,
    description: `A predefined set of scopes.\n\n${presetScopes.join('\n')}`,
    example: examplePreset,
  })

  const scopeList = z
    .array(Scope)
    .min(1)
    .max(scopes.length)
    .meta({ description: 'The scopes of the key.', example: presets[examplePreset] })

  const NewApiKey = z
    .strictObject({
      name,
      plan: PlanInput,
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
      example: { name: 'Mobile app', plan: 'free', preset: examplePreset },
    })

  const ApiKeyPatch = z
    .strictObject({
      name: name.optional(),
      plan: PlanInput.optional(),
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

  const keyFields = {
    id: ResponseId.meta({ description: 'Assigned on creation.' }),
    name,
    prefix: z.string().meta({ description: 'The first characters of the secret, to identify the key.' }),
    plan: Plan,
    limits: KeyLimits,
    scopes: scopeList,
    createdAt: ResponseDateTime,
    expiresAt: ResponseDateTime.optional(),
    lastUsedAt: ResponseDateTime.optional().meta({ description: 'Accurate to the minute.' }),
    revokedAt: ResponseDateTime.optional().meta({ description: 'When the key was revoked; it no longer works.' }),
    ban: Ban.optional(),
  }

  const example = {
    id: 2,
    name: 'Mobile app',
    prefix: 'ps_4fG7k',
    plan: 'free',
    limits: { perMinute: 60, perDay: 1_000 },
    scopes: presets[examplePreset],
    createdAt: '2026-11-15T12:00:00.000Z',
  }

  const ApiKey = z.object(keyFields).meta({ id: 'ApiKey', description: 'A key, without its secret.', example })

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

  return { Scope, NewApiKey, ApiKeyPatch, ApiKey, ApiKeyWithSecret, example, scopesMax: scopes.length }
}

export type KeyShapes = ReturnType<typeof createKeyShapes>
export type KeyPatch = z.output<KeyShapes['ApiKeyPatch']>
export type Rotation = z.output<typeof RotateKey>
