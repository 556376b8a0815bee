import type { Caller } from './operation.ts'

/** The key that made a change, for callers that manage keys. */
export const showOrigin = ({ scopes }: Pick<Caller, 'scopes'>, byKeyId: number | null): { keyId?: number } =>
  byKeyId !== null && scopes.has('keys:manage') ? { keyId: byKeyId } : {}
