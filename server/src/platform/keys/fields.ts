import { validationFailed } from '../api/errors.ts'
import type { Scope } from '../api/operation.ts'
import type { Limits } from '../lib/limits.ts'
import { type Plan, plans } from './plans.ts'

// Rules for the fields of a key.

interface KeyFault {
  readonly path: string[]
  readonly message: string
}

type PartialInput<T> = { readonly [Field in keyof T]?: T[Field] | undefined }

/** Enterprise requires both limits; the other plans fix them. */
export function limitsFaults(plan: Plan, given: PartialInput<Limits> | undefined): KeyFault[] {
  if (plan !== 'enterprise') return given ? [{ path: ['limits'], message: `is fixed by the plan ${plan}` }] : []
  if (!given) return [{ path: ['limits'], message: 'is required for the plan enterprise' }]
  const missing = (['perMinute', 'perDay'] as const).filter((name) => given[name] === undefined)
  return missing.map((name) => ({ path: ['limits', name], message: 'is required' }))
}

export function expiryFaults(expiresAt: number | null | undefined, now: number): KeyFault[] {
  const isPast = typeof expiresAt === 'number' && expiresAt <= now
  return isPast ? [{ path: ['expiresAt'], message: 'must be in the future' }] : []
}

/** Throws one error that lists all faults, if there are any. */
export function throwFaults(faults: KeyFault[]): void {
  if (faults.length === 0) return
  throw validationFailed(faults.map(({ path, message }) => ({ in: 'body', path: `/${path.join('/')}`, message })))
}

/** The limits of a key that passed `limitsFaults`. */
export const limitsOf = (plan: Plan, given: PartialInput<Limits> | undefined): Limits =>
  plan === 'enterprise' ? (given as Limits) : plans[plan]

/** The scopes of a preset, or the given ones; undefined if neither is given. */
export const scopesOf = (
  presets: Readonly<Record<string, readonly Scope[]>>,
  { preset, scopes }: PartialInput<{ preset: string; scopes: readonly Scope[] }>,
): readonly Scope[] | undefined => (preset === undefined ? scopes && [...new Set(scopes)] : presets[preset])
