import type { ApiKey } from '@petstore/sdk'
import type { Field } from '../description.ts'
import type { Values } from '../parts/values.ts'

/** Only the enterprise plan has custom limits, and scopes are chosen only without a preset. */
export function isKeyFieldVisible({ name }: Field, values: Values): boolean {
  if (name === 'limits') return values.plan === 'enterprise'
  if (name === 'scopes') return !values.preset
  return true
}

export const keyState = ({ ban, revokedAt }: ApiKey): string => (revokedAt ? 'revoked' : ban ? 'banned' : 'active')
