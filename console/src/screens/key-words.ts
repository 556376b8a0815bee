import type { ApiKey } from '@petstore/sdk'
import type { Field } from '../description.ts'
import type { Values } from '../parts/values.ts'

/** Limits belong to the plan enterprise alone, and scopes are for who wants no preset. */
export function keyFieldShows({ name }: Field, values: Values): boolean {
  if (name === 'limits') return values.plan === 'enterprise'
  if (name === 'scopes') return !values.preset
  return true
}

export const statesOf = ({ ban }: ApiKey): string[] => [ban ? 'banned' : 'active']
