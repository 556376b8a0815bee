import { validationFailed } from '../api/errors.ts'
import type { Scope } from '../api/scopes.ts'
import type { Plan } from '../db/tables.ts'
import type { Limits } from '../lib/limits.ts'
import { type Preset, plans, presets } from './plans.ts'

// What the fields of a key must be to each other and to the time, and what follows from them.

interface KeyFault {
  readonly path: string[]
  readonly message: string
}

type Given<T> = { readonly [Field in keyof T]?: T[Field] | undefined }

/** Enterprise needs both of its limits; those of the other plans are the plan's own. */
export function limitsFaults(plan: Plan, given: Given<Limits> | undefined): KeyFault[] {
  if (plan !== 'enterprise') return given ? [{ path: ['limits'], message: `is fixed by the plan ${plan}` }] : []
  if (!given) return [{ path: ['limits'], message: 'is required for the plan enterprise' }]
  const missing = (['perMinute', 'perDay'] as const).filter((name) => given[name] === undefined)
  return missing.map((name) => ({ path: ['limits', name], message: 'is required' }))
}

export function expiryFaults(expiresAt: number | null | undefined, now: number): KeyFault[] {
  const isPast = typeof expiresAt === 'number' && expiresAt <= now
  return isPast ? [{ path: ['expiresAt'], message: 'must lie in the future' }] : []
}

/** Refuses a key with faults, naming them all. */
export function refuse(faults: KeyFault[]): void {
  if (faults.length === 0) return
  throw validationFailed(faults.map(({ path, message }) => ({ in: 'body', path: `/${path.join('/')}`, message })))
}

/** The limits of a key without faults. */
export const limitsOf = (plan: Plan, given: Given<Limits> | undefined): Limits =>
  plan === 'enterprise' ? (given as Limits) : plans[plan]

export const scopesOf = ({ preset, scopes }: Given<{ preset: Preset; scopes: Scope[] }>): Scope[] =>
  preset ? presets[preset] : [...new Set(scopes)]
