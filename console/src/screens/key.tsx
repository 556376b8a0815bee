import type { ApiKey, ApiKeyPatch, ApiKeyWithSecret, Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { meaningsOf } from '../description.ts'
import { reloadScreens, useLoad } from '../load.ts'
import { Card, EditButton } from '../parts/card.tsx'
import { ChangesForm } from '../parts/changes-form.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Heading } from '../parts/heading.tsx'
import { RotateDialog, SecretDialog } from '../parts/secret.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { hrefOf } from '../router.ts'
import { continueWith, session, store } from '../session.ts'
import { isKeyFieldVisible, keyState } from './key-fields.ts'
import { KeyHistory } from './key-history.tsx'
import { RevokeKey } from './key-revoke.tsx'
import { KeyWebhooks } from './key-webhooks.tsx'
import { UsageCard } from './usage.tsx'

/** One key: its scopes, limits, usage and ban, and how to rotate or revoke it. */
export function KeyScreen({ id }: { id: number }) {
  const key = useLoad(String(id), (signal) => store().keys.get(id, { signal }))
  const openForm = useSignal<'edit' | 'rotate' | undefined>(undefined)
  const created = useSignal<ApiKeyWithSecret | undefined>(undefined)
  const hasContinued = useSignal(false)
  const isOwn = id === session.value?.status.keyId
  const close = () => {
    openForm.value = undefined
  }
  return (
    <Show of={key}>
      {(loaded) => (
        <>
          <Heading title={loaded.name} up={{ href: hrefOf('/keys'), text: 'API keys' }}>
            {!loaded.revokedAt && (
              <>
                <button type="button" class="quiet" onClick={() => (openForm.value = 'rotate')}>
                  Rotate
                </button>
                <RevokeKey apiKey={loaded} />
              </>
            )}
          </Heading>
          {loaded.ban && !loaded.revokedAt && <Banned keyId={id} ban={loaded.ban} />}
          <div class="detail">
            <About
              apiKey={loaded}
              editing={openForm.value === 'edit'}
              edit={() => (openForm.value = 'edit')}
              close={close}
            />
            <Card id="may" title="Scopes">
              <ul class="plain">
                {loaded.scopes.map((scope) => (
                  <li key={scope}>
                    {meaningsOf('Scope').get(scope)} <code>{scope}</code>
                  </li>
                ))}
              </ul>
            </Card>
            <UsageCard keyId={id} limits={loaded.limits} />
            <KeyHistory keyId={id} />
            <KeyWebhooks keyId={id} />
          </div>
          {openForm.value === 'rotate' && (
            <RotateDialog
              title={`Rotate ${loaded.name}`}
              about="This creates a new secret. The old one works until the grace period ends."
              schema="RotateKey"
              rotate={async (rotation, idempotencyKey) => {
                const rotated = await store().keys.rotate(id, rotation, { ifMatch: loaded, idempotencyKey })
                created.value = rotated
                if (isOwn) hasContinued.value = await continueWith(rotated.secret)
              }}
              onClose={close}
            />
          )}
          {created.value && (
            <SecretDialog
              title={`New secret of ${loaded.name}`}
              about={
                isOwn
                  ? hasContinued.value
                    ? 'You are signed in with this key, and go on with its new secret.'
                    : 'You are signed in with this key: sign in with the new secret before the old one expires.'
                  : 'Give it to the user of the key before the old one expires.'
              }
              secret={created.value.secret}
              onClose={() => (created.value = undefined)}
            />
          )}
        </>
      )}
    </Show>
  )
}

interface AboutProps {
  readonly apiKey: Tagged<ApiKey>
  readonly editing: boolean
  readonly edit: () => void
  readonly close: () => void
}

function About({ apiKey, editing, edit, close }: AboutProps) {
  const { id, name, prefix, plan, limits, scopes, createdAt, expiresAt, lastUsedAt, revokedAt } = apiKey
  return (
    <Card id="about" title="About" aside={!editing && !revokedAt && <EditButton onClick={edit} />}>
      {editing ? (
        <ChangesForm<ApiKeyPatch>
          schema="ApiKeyPatch"
          // Only enterprise keys have limits of their own; for a key that moves to that plan they start empty.
          initial={{ name, plan, scopes, expiresAt, ...(plan === 'enterprise' && { limits }) }}
          isVisible={isKeyFieldVisible}
          save={(changes) => store().keys.update(id, changes, { ifMatch: apiKey })}
          onClose={close}
        />
      ) : (
        <Facts>
          <Fact name="State">
            <Status value={keyState(apiKey)} />
          </Fact>
          <Fact name="Prefix">
            <code>{prefix}</code>
          </Fact>
          <Fact name="Plan">{plan}</Fact>
          <Fact name="Limits">
            {number(limits.perMinute)} per minute, {number(limits.perDay)} per day
          </Fact>
          <Fact name="Created">
            <Time at={createdAt} />
          </Fact>
          <Fact name="Expires">{expiresAt ? <Time at={expiresAt} /> : 'never'}</Fact>
          {revokedAt && (
            <Fact name="Revoked">
              <Time at={revokedAt} />
            </Fact>
          )}
          <Fact name="Last used">{lastUsedAt ? <Time at={lastUsedAt} /> : 'never'}</Fact>
        </Facts>
      )}
    </Card>
  )
}

function Banned({ keyId, ban }: { keyId: number; ban: NonNullable<ApiKey['ban']> }) {
  const liftBan = async () => {
    try {
      await store().keys.unban(keyId)
      toast({ text: 'Ban lifted.' })
      reloadScreens()
    } catch (error) {
      toastFailure(error)
    }
  }
  return (
    <div class="failure banned" role="status">
      <p>
        <strong>Banned</strong> until <Time at={ban.until} isExact />, for the {ordinal(ban.level)} time in a row. It
        continued to send requests after being rate limited.
      </p>
      <button type="button" onClick={liftBan}>
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
