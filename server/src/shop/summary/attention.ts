import type { Caller } from '../../platform/api/operation.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { showKey } from '../../platform/keys/show.ts'
import { findBannedKeys } from '../../platform/keys/store.ts'
import { showWebhook } from '../../platform/webhooks/show.ts'
import { findFailing } from '../../platform/webhooks/store.ts'
import { attentionMax } from './operations.ts'

/** The banned keys and failing webhooks that the caller may see. */
export async function findAttention(db: Queryable, { keyId, scopes }: Caller, now: number) {
  const isManager = scopes.has('keys:manage')
  return {
    ...(isManager && { bannedKeys: (await findBannedKeys(db, now, attentionMax)).map(showKey) }),
    ...((isManager || scopes.has('webhooks:manage')) && {
      failingWebhooks: (await findFailing(db, isManager ? undefined : keyId, attentionMax)).map(showWebhook),
    }),
  }
}
