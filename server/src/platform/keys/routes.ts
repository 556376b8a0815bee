import { keyset, page } from '../api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../api/operation.ts'
import { changeKey } from './change.ts'
import { createKey } from './create.ts'
import { scopesOf } from './fields.ts'
import { getKey } from './get.ts'
import type { KeyOperations } from './operations.ts'
import { revokeKey } from './revoke.ts'
import { rotateKey } from './rotate.ts'
import { newSecret } from './secret.ts'
import type { Permissions } from './shapes.ts'
import { showKey, showKeyWithSecret } from './show.ts'
import { findKeys, keySorts } from './store.ts'
import { unbanKey } from './unban.ts'

export const keyRoutes = (operations: KeyOperations, { presets }: Permissions): Route[] => [
  read(operations.listKeys, async (db, { query, now }) => {
    const pageQuery = keyset(operations.listKeys, query, keySorts, query.sort ?? 'id')
    return page(await findKeys(db, query, pageQuery, now), pageQuery, showKey)
  }),

  write(operations.createKey, async (tx, input) => {
    const keyWithSecret = await createKey(
      tx,
      input,
      { ...input.body, scopes: scopesOf(presets, input.body) ?? [] },
      newSecret(input.random),
    )
    return created(showKeyWithSecret(keyWithSecret), `/keys/${keyWithSecret.key.id}`)
  }),

  read(operations.getKey, async (db, { params, now }) => ok(showKey(await getKey(db, params.keyId, now)))),

  write(operations.updateKey, async (tx, input) =>
    ok(
      showKey(await changeKey(tx, input, input.params.keyId, { ...input.body, scopes: scopesOf(presets, input.body) })),
    ),
  ),

  write(operations.revokeKey, async (tx, input) => {
    await revokeKey(tx, input, input.params.keyId)
    return noContent()
  }),

  write(operations.rotateKey, async (tx, input) =>
    ok(showKeyWithSecret(await rotateKey(tx, input, input.params.keyId, input.body))),
  ),

  write(operations.unbanKey, async (tx, input) => {
    await unbanKey(tx, input, input.params.keyId)
    return noContent()
  }),
]
