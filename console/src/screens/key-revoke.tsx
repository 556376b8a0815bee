import { type ApiKey, PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { toastFailure } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { startPending } from '../pending.ts'
import { leaveItem } from '../router.ts'
import { session, store } from '../session.ts'

/** Revokes a key once the time to undo it is over. Asks first if it is the key of this session. */
export function RevokeKey({ apiKey }: { apiKey: ApiKey }) {
  const isBusy = useSignal(false)
  const isAsking = useSignal(false)
  const isOwn = apiKey.id === session.value?.status.keyId
  async function start() {
    isBusy.value = true
    // Without a response nothing is known, so the service decides.
    const rejection = await findRejection(apiKey).catch(() => undefined)
    isBusy.value = false
    if (rejection) toastFailure(rejection, {}, `key ${apiKey.id}`)
    else if (isOwn) isAsking.value = true
    else revoke(apiKey)
  }
  return (
    <>
      <Undoable id={`key ${apiKey.id}`}>
        <button type="button" class="quiet danger" disabled={isBusy.value} onClick={start}>
          Revoke
        </button>
      </Undoable>
      {isAsking.value && (
        <Dialog title={`Revoke ${apiKey.name}?`} onClose={() => (isAsking.value = false)}>
          <p>
            <strong>This is the key you use.</strong> Once it is revoked, you need another key to sign in.
          </p>
          <div class="form-foot">
            <button
              type="button"
              class="danger"
              onClick={() => {
                isAsking.value = false
                revoke(apiKey)
              }}
            >
              Revoke my key
            </button>
            <button type="button" class="quiet" autofocus onClick={() => (isAsking.value = false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

const endOf = ({ expiresAt }: ApiKey): number => (expiresAt ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY)

/** The service rejects revoking a key if no other key that manages keys is valid for as long. */
async function findRejection(key: ApiKey): Promise<Error | undefined> {
  if (!key.scopes.includes('keys:manage')) return undefined
  for await (const other of store().keys.list({ limit: 100 })) {
    if (other.id !== key.id && other.scopes.includes('keys:manage') && endOf(other) >= endOf(key)) return undefined
  }
  return new PetStoreError({ code: 'last_admin_key', status: 409, message: `${key.name} cannot be revoked.` })
}

function revoke({ id, name }: ApiKey): void {
  startPending({
    id: `key ${id}`,
    verb: 'revoked',
    doneText: `${name} was revoked.`,
    send: () => store().keys.revoke(id),
    onDone: () => leaveItem('/keys', id),
  })
}
