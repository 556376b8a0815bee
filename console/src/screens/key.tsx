import type { ApiKey, ApiKeyPatch, ApiKeyWithSecret } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { meaningsOf } from '../description.ts'
import { changed, useLoad } from '../load.ts'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { RotateDialog, SecretDialog } from '../parts/secret.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { go, hrefOf } from '../router.ts'
import { session, store } from '../session.ts'
import { deleteWithUndo } from '../undo.ts'
import { keyFieldShows, statesOf } from './key-words.ts'
import { UsageCard } from './usage.tsx'

/** One key: what it may do in words, its limits, its use, its ban, and rotating or revoking it. */
export function KeyScreen({ id }: { id: number }) {
  const key = useLoad(String(id), (signal) => store().keys.get(id, { signal }))
  const act = useSignal<'edit' | 'rotate' | undefined>(undefined)
  const made = useSignal<ApiKeyWithSecret | undefined>(undefined)
  const close = () => {
    act.value = undefined
  }
  return (
    <Show of={key}>
      {(loaded) => (
        <>
          <Heading title={loaded.name} up={{ href: hrefOf('/keys'), text: 'API keys' }}>
            <button type="button" class="quiet" onClick={() => (act.value = 'rotate')}>
              Rotate
            </button>
            <button type="button" class="quiet danger" onClick={() => revoke(loaded)}>
              Revoke
            </button>
          </Heading>
          {loaded.ban && <Banned keyId={id} ban={loaded.ban} />}
          <div class="columns">
            <About apiKey={loaded} editing={act.value === 'edit'} edit={() => (act.value = 'edit')} close={close} />
            <section class="card" aria-labelledby="may">
              <header>
                <h2 id="may">What it may do</h2>
              </header>
              <ul class="plain">
                {loaded.scopes.map((scope) => (
                  <li key={scope}>
                    {meaningsOf('Scope').get(scope)} <code>{scope}</code>
                  </li>
                ))}
              </ul>
            </section>
            <UsageCard keyId={id} />
          </div>
          {act.value === 'rotate' && (
            <RotateDialog
              title={`Rotate ${loaded.name}`}
              about="It gets a new secret. The old one goes on working for the grace time."
              schema="RotateKey"
              rotate={async (how) => {
                made.value = await store().keys.rotate(id, how, { ifMatch: loaded })
              }}
              onClose={close}
            />
          )}
          {made.value && (
            <SecretDialog
              title={`The new key of ${loaded.name}`}
              about={
                id === session.value?.status.keyId
                  ? 'It is the key you are signed in with: sign in with the new one before the old one ends.'
                  : 'Give it to who uses the key before the old one ends.'
              }
              secret={made.value.secret}
              onClose={() => (made.value = undefined)}
            />
          )}
        </>
      )}
    </Show>
  )
}

interface AboutProps {
  readonly apiKey: ApiKey
  readonly editing: boolean
  readonly edit: () => void
  readonly close: () => void
}

function About({ apiKey, editing, edit, close }: AboutProps) {
  const { id, name, prefix, plan, limits, scopes, createdAt, expiresAt, lastUsedAt } = apiKey
  return (
    <section class="card" aria-labelledby="about">
      <header>
        <h2 id="about">About</h2>
        {!editing && (
          <button type="button" class="quiet small" onClick={edit}>
            Edit
          </button>
        )}
      </header>
      {editing ? (
        <Form<ApiKeyPatch>
          schema="ApiKeyPatch"
          initial={{ name, plan, scopes, limits, expiresAt }}
          shows={keyFieldShows}
          changesOnly
          submit="Save"
          send={async (changes) => {
            await store().keys.update(id, changes, { ifMatch: apiKey })
            toast({ text: 'Saved.' })
            close()
            changed()
          }}
          onCancel={close}
        />
      ) : (
        <dl class="facts">
          <div>
            <dt>State</dt>
            <dd>
              {statesOf(apiKey).map((state) => (
                <Status key={state} value={state} />
              ))}
            </dd>
          </div>
          <div>
            <dt>Begins with</dt>
            <dd>
              <code>{prefix}</code>
            </dd>
          </div>
          <div>
            <dt>Plan</dt>
            <dd>{plan}</dd>
          </div>
          <div>
            <dt>Limits</dt>
            <dd>
              {number(limits.perMinute)} a minute, {number(limits.perDay)} a day
            </dd>
          </div>
          <div>
            <dt>Created</dt>
            <dd>
              <Time at={createdAt} />
            </dd>
          </div>
          <div>
            <dt>Expires</dt>
            <dd>{expiresAt ? <Time at={expiresAt} /> : 'never'}</dd>
          </div>
          <div>
            <dt>Last used</dt>
            <dd>{lastUsedAt ? <Time at={lastUsedAt} /> : 'never'}</dd>
          </div>
        </dl>
      )}
    </section>
  )
}

function Banned({ keyId, ban }: { keyId: number; ban: NonNullable<ApiKey['ban']> }) {
  const lift = async () => {
    try {
      await store().keys.unban(keyId)
      toast({ text: 'The ban is lifted.' })
      changed()
    } catch (error) {
      toastFailure(error)
    }
  }
  return (
    <div class="failure banned" role="status">
      <p>
        <strong>Banned</strong> until <Time at={ban.until} />, for the {ordinal(ban.level)} time in a row. It went on
        sending after it was told to wait.
      </p>
      <button type="button" onClick={lift}>
        Lift the ban
      </button>
    </div>
  )
}

const ordinal = (count: number): string => {
  const ending = { one: 'st', two: 'nd', few: 'rd' }[
    new Intl.PluralRules('en', { type: 'ordinal' }).select(count) as 'one'
  ]
  return `${count}${ending ?? 'th'}`
}

function revoke({ id, name }: ApiKey): void {
  deleteWithUndo({ id: `key ${id}`, text: `${name} is revoked.`, send: () => store().keys.revoke(id), done: changed })
  go(hrefOf('/keys'))
}
