import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange } from './announce.ts'
import { expiryFaults, limitsFaults, limitsOf, throwFaults } from './fields.ts'
import { lockExistingKey } from './get.ts'
import { keyEvents } from './operations.ts'
import { requireManager } from './require-manager.ts'
import type { KeyPatch } from './shapes.ts'
import { showKey } from './show.ts'
import { type KeyFields, type KeyRow, lockManagers, updateKey } from './store.ts'

type Patch = Omit<KeyPatch, 'preset' | 'scopes'> & { readonly scopes: readonly string[] | undefined }

export async function changeKey(tx: Transaction, call: Call, id: Id, patch: Patch): Promise<KeyRow> {
  const { mustMatch, now } = call
  const managers = await lockManagers(tx)
  const key = await lockExistingKey(tx, id, now)
  mustMatch(showKey(key))
  const changed = await updateKey(tx, key.id, mergePatch(key, patch, now), now)
  await requireManager(tx, managers, key.id)
  recordEvent(tx, call, { type: keyEvents.updated, data: showKey(changed), before: showKey(key) })
  announceChange(tx, key.id, now)
  return changed
}

function mergePatch(key: KeyRow, patch: Patch, now: number): KeyFields {
  const { name = key.name, plan = key.plan, expiresAt } = patch
  // Only enterprise keys have individual limits, which they keep as long as they stay on that plan.
  const staysEnterprise = key.plan === 'enterprise' && plan === 'enterprise'
  const limits = staysEnterprise ? { perMinute: key.per_minute, perDay: key.per_day, ...patch.limits } : patch.limits
  throwFaults([...limitsFaults(plan, limits), ...expiryFaults(expiresAt, now)])
  return {
    name,
    plan,
    limits: limitsOf(plan, limits),
    scopes: patch.scopes ?? key.scopes.split(' '),
    expiresAt: expiresAt === undefined ? key.expires_at : expiresAt,
  }
}
