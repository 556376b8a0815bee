import { z } from 'zod'
import { defineErrors } from '../api/errors.ts'
import { pageOf, pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { BooleanParam, IdParam, text } from '../api/shapes.ts'
import { defineEvents } from '../events/types.ts'
import { type KeyShapes, onlyManagerGraceSeconds, RotateKey } from './shapes.ts'

export const keyErrors = defineErrors({
  key_not_found: { status: 404, title: 'There is no API key with this id.', advice: 'List the keys to find its id.' },
  last_admin_key: {
    status: 409,
    title: 'No other key with `keys:manage` lasts as long as this one.',
    advice: 'Create another first that lasts at least as long.',
  },
})

export const keyEvents = defineEvents('key', ['created', 'updated', 'rotated', 'revoked', 'banned', 'unbanned'])

const KeyPath = z.object({ keyId: IdParam.meta({ description: 'The id of a key.', example: 2, parameter: 'KeyId' }) })

const tag = 'API keys'
const scope = 'keys:manage'
// Without lastUsedAt: using a key must not make an edit of it fail.
const etag = { derived: ['lastUsedAt'] }

export function createKeyOperations({ NewApiKey, ApiKeyPatch, ApiKey, ApiKeyWithSecret }: KeyShapes) {
  const listKeys = defineOperation({
    id: 'listKeys',
    method: 'get',
    path: '/keys',
    sdk: 'keys.list',
    tag,
    summary: 'List keys',
    description:
      'Lists all keys that are not revoked, or with `revoked=true` only those that are, without their secrets.',
    scope,
    query: z.strictObject({
      q: text(200).optional().meta({ description: 'Part of the name, ignoring the case of A to Z.', example: 'app' }),
      revoked: BooleanParam.optional().meta({
        description: '`true`: only revoked keys. `false`, the default: only the others.',
        example: true,
      }),
      sort: z.enum(['id', '-id']).optional().meta({ description: 'The sort order; `id` by default.', example: '-id' }),
      ...pageParams,
    }),
    responses: { 200: { description: 'A page of keys.', body: pageOf(ApiKey) } },
  })

  const createKey = defineOperation({
    id: 'createKey',
    method: 'post',
    path: '/keys',
    sdk: 'keys.create',
    tag,
    summary: 'Create a key',
    description:
      'Creates a key and shows its secret once; only a hash of the secret is stored. The new key may have any scope and any limits, regardless of the calling key. So give `keys:manage` only to someone you trust with everything.',
    scope,
    body: NewApiKey,
    responses: { 201: { description: 'The key with its secret.', body: ApiKeyWithSecret } },
    secretField: 'secret',
    etag,
  })

  const getKey = defineOperation({
    id: 'getKey',
    method: 'get',
    path: '/keys/{keyId}',
    sdk: 'keys.get',
    tag,
    summary: 'Get a key',
    description: 'Returns one key, even after it was revoked.',
    scope,
    params: KeyPath,
    responses: { 200: { description: 'The key.', body: ApiKey } },
    errors: [keyErrors.key_not_found],
    etag,
  })

  const updateKey = defineOperation({
    id: 'updateKey',
    method: 'patch',
    path: '/keys/{keyId}',
    sdk: 'keys.update',
    tag,
    summary: 'Change a key',
    description:
      'Changes a key by a merge patch (RFC 7396), on every node within a second. The plan enterprise requires limits; the other plans reject them.',
    scope,
    params: KeyPath,
    body: ApiKeyPatch,
    responses: { 200: { description: 'The key.', body: ApiKey } },
    errors: [keyErrors.key_not_found, keyErrors.last_admin_key],
    etag,
  })

  const revokeKey = defineOperation({
    id: 'revokeKey',
    method: 'delete',
    path: '/keys/{keyId}',
    sdk: 'keys.revoke',
    tag,
    summary: 'Revoke a key',
    description:
      'Revokes a key: it stops working on every node within a second, permanently. What it created is retained, and the key can still be read.',
    scope,
    params: KeyPath,
    responses: { 204: { description: 'The key is revoked.' } },
    errors: [keyErrors.key_not_found, keyErrors.last_admin_key],
    etag,
  })

  const rotateKey = defineOperation({
    id: 'rotateKey',
    method: 'post',
    path: '/keys/{keyId}/rotate',
    sdk: 'keys.rotate',
    exampleParams: { keyId: 1 },
    tag,
    summary: 'Rotate a key',
    description: `Gives a key a new secret. The old one keeps working for the grace period. If no other key can manage keys, it works for at least ${onlyManagerGraceSeconds / 60} more minutes, in case this response is lost; to end it immediately, first create another key with \`keys:manage\`.`,
    scope,
    params: KeyPath,
    body: RotateKey,
    responses: { 200: { description: 'The key with its new secret.', body: ApiKeyWithSecret } },
    errors: [keyErrors.key_not_found],
    secretField: 'secret',
    etag,
  })

  const unbanKey = defineOperation({
    id: 'unbanKey',
    method: 'delete',
    path: '/keys/{keyId}/ban',
    sdk: 'keys.unban',
    exampleParams: { keyId: 1 },
    tag,
    summary: 'Lift a ban',
    description: 'Lifts the ban of a key and resets its strikes. Does nothing if the key is not banned.',
    scope,
    params: KeyPath,
    responses: { 204: { description: 'The key is not banned.' } },
    errors: [keyErrors.key_not_found],
    etag,
  })

  return { listKeys, createKey, getKey, updateKey, revokeKey, rotateKey, unbanKey }
}

export type KeyOperations = ReturnType<typeof createKeyOperations>
