import { ApiError, validationFailed } from '../api/errors.ts'
import { keyset, page } from '../api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../api/operation.ts'
import type { Scope } from '../api/scopes.ts'
import type { Transaction } from '../db/database.ts'
import type { Plan } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import type { Limits } from '../limits/windows.ts'
import { liftBan } from './bans.ts'
import { createKey } from './create.ts'
import * as operations from './operations.ts'
import { type Preset, plans, presets } from './plans.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { showKey } from './show.ts'
import * as store from './store.ts'

const graceSecondsDefault = 86_400

export const keyRoutes: Route[] = [
  read(operations.listKeys, async (db, { query, now }) => {
    const asked = keyset(query, store.keySorts, 'id')
    return page(await store.findKeys(db, asked, now), asked, 'id', showKey)
  }),

  write(operations.createKey, async (tx, { body, now }) => {
    refusePast(body.expiresAt, now)
    const { name, plan, expiresAt = null } = body
    const fields = { name, plan, limits: limitsOf(plan, body.limits), scopes: scopesOf(body), expiresAt }
    const { key, secret } = await createKey(tx, fields, now)
    return created({ ...key, secret }, `/keys/${key.id}`)
  }),

  read(operations.getKey, async (db, { params, now }) => {
    const key = await store.findKey(db, params.keyId, now)
    if (!key) throw notFound(params.keyId)
    return ok(showKey(key))
  }),

  write(operations.updateKey, async (tx, { params, body, mustMatch, now }) => {
    const managedUntil = await store.lockManagingKeys(tx)
    const key = await lock(tx, params.keyId, now)
    mustMatch(showKey(key))
    refusePast(body.expiresAt, now)
    const plan = body.plan ?? key.plan
    // Quotas that were agreed stay while the plan does; those of other plans are the plan's own.
    const kept = key.plan === 'enterprise' && plan === 'enterprise' && showKey(key).limits
    await store.updateKey(
      tx,
      key.id,
      {
        name: body.name ?? key.name,
        plan,
        limits: limitsOf(plan, kept ? { ...kept, ...body.limits } : body.limits),
        scopes: body.scopes || body.preset ? scopesOf(body) : (key.scopes.split(' ') as Scope[]),
        expiresAt: body.expiresAt === undefined ? key.expires_at : body.expiresAt,
      },
      now,
    )
    await mustStayManaged(tx, managedUntil)
    return ok(showKey(await lock(tx, key.id, now)))
  }),

  write(operations.revokeKey, async (tx, { params, mustMatch, now }) => {
    const managedUntil = await store.lockManagingKeys(tx)
    const key = await lock(tx, params.keyId, now)
    mustMatch(showKey(key))
    await store.revokeKey(tx, key.id, now)
    await mustStayManaged(tx, managedUntil)
    return noContent()
  }),

  write(operations.rotateKey, async (tx, { params, body, mustMatch, now }) => {
    const key = await lock(tx, params.keyId, now)
    mustMatch(showKey(key))
    const secret = newSecret()
    const oldEndsAt = now + (body.graceSeconds ?? graceSecondsDefault) * 1000
    await store.replaceSecret(tx, key.id, { hash: hashSecret(secret), prefix: displayPrefix(secret), oldEndsAt, now })
    return ok({ ...showKey(await lock(tx, key.id, now)), secret })
  }),

  write(operations.liftBan, async (tx, { params, now }) => {
    const key = await lock(tx, params.keyId, now)
    await liftBan(tx, key.id, now)
    return noContent()
  }),
]

async function lock(tx: Transaction, id: Id, now: number): Promise<store.KeyWithBan> {
  const key = await store.lockKey(tx, id, now)
  if (!key) throw notFound(id)
  return key
}

const notFound = (id: Id) => new ApiError('key_not_found', `There is no key ${id}.`)

const bodyFault = (path: string, message: string) => validationFailed([{ in: 'body', path, message }])

function refusePast(expiresAt: number | null | undefined, now: number): void {
  if (typeof expiresAt === 'number' && expiresAt <= now) throw bodyFault('/expiresAt', 'must lie in the future')
}

function limitsOf(
  plan: Plan,
  limits: { perMinute?: number | undefined; perDay?: number | undefined } | undefined,
): Limits {
  if (plan === 'enterprise') {
    if (!limits) throw bodyFault('/limits', 'is required for the plan enterprise')
    const { perMinute, perDay } = limits
    if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay }
    const missing = Object.entries({ perMinute, perDay }).filter(([, count]) => count === undefined)
    throw validationFailed(missing.map(([name]) => ({ in: 'body', path: `/limits/${name}`, message: 'is required' })))
  }
  if (limits) throw bodyFault('/limits', `is fixed by the plan ${plan}`)
  return plans[plan]
}

const scopesOf = ({ preset, scopes }: { preset?: Preset | undefined; scopes?: Scope[] | undefined }): Scope[] =>
  preset ? presets[preset] : [...new Set(scopes)]

/** However keys are changed, somebody can manage them for as long as before. */
async function mustStayManaged(tx: Transaction, managedUntil: number): Promise<void> {
  if ((await store.lockManagingKeys(tx)) < managedUntil) throw new ApiError('last_admin_key')
}
