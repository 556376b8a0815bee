import type { ApiKey, Webhook, WebhookPatch, WebhookWithSecret } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { meaningOf } from '../description.ts'
import { changed, useLoad } from '../load.ts'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { RotateDialog, SecretDialog } from '../parts/secret.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { go, hrefOf } from '../router.ts'
import { may, session, store } from '../session.ts'
import { deleteWithUndo } from '../undo.ts'
import { Deliveries } from './deliveries.tsx'

/** One webhook: where it goes, what it was sent, and trying it out. */
export function WebhookScreen({ id }: { id: number }) {
  const webhook = useLoad(String(id), async (signal) => {
    const found = await store().webhooks.get(id, { signal })
    const owner = may('keys:manage') ? await store().keys.get(found.keyId, { signal }) : undefined
    return { found, otherOwner: owner?.prefix === session.value?.prefix ? undefined : owner }
  })
  return (
    <Show of={webhook}>
      {({ found, otherOwner }) =>
        otherOwner ? <OtherWebhook webhook={found} owner={otherOwner} /> : <OwnWebhook webhook={found} />
      }
    </Show>
  )
}

/** Of a webhook of another key a key manager sees what it is, and can switch it off. */
function OtherWebhook({ webhook, owner }: { webhook: Webhook; owner: ApiKey }) {
  const switchOff = () =>
    store().webhooks.update(webhook.id, { active: false }, { ifMatch: webhook }).then(changed, toastFailure)
  return (
    <>
      <Heading title={webhook.url} up={{ href: hrefOf('/webhooks'), text: 'Webhooks' }}>
        {webhook.active && (
          <button type="button" class="quiet danger" onClick={switchOff}>
            Switch off
          </button>
        )}
      </Heading>
      <section class="card" aria-labelledby="about">
        <header>
          <h2 id="about">About</h2>
        </header>
        <p>
          This webhook belongs to <a href={hrefOf(`/keys/${owner.id}`)}>{owner.name}</a>. Only that key can change it
          and see its deliveries.
        </p>
        <Facts webhook={webhook} />
      </section>
    </>
  )
}

function OwnWebhook({ webhook: loaded }: { webhook: Webhook }) {
  const { id } = loaded
  const act = useSignal<'edit' | 'rotate' | undefined>(undefined)
  const made = useSignal<WebhookWithSecret | undefined>(undefined)
  const close = () => {
    act.value = undefined
  }
  const ping = () =>
    store()
      .webhooks.ping(id)
      .then(() => {
        toast({ text: 'A ping is on its way.' })
        changed()
      }, toastFailure)
  return (
    <>
      <Heading title={loaded.url} up={{ href: hrefOf('/webhooks'), text: 'Webhooks' }}>
        <button type="button" class="quiet" onClick={ping}>
          Ping
        </button>
        <button type="button" class="quiet" onClick={() => (act.value = 'rotate')}>
          Rotate secret
        </button>
        <button type="button" class="quiet danger" onClick={() => remove(loaded)}>
          Delete
        </button>
      </Heading>
      <div class="columns">
        <section class="card" aria-labelledby="about">
          <header>
            <h2 id="about">About</h2>
            {act.value !== 'edit' && (
              <button type="button" class="quiet small" onClick={() => (act.value = 'edit')}>
                Edit
              </button>
            )}
          </header>
          {act.value === 'edit' ? (
            <Form<WebhookPatch>
              schema="WebhookPatch"
              initial={{ ...loaded }}
              changesOnly
              submit="Save"
              send={async (changes) => {
                await store().webhooks.update(id, changes, { ifMatch: loaded })
                toast({ text: 'Saved.' })
                close()
                changed()
              }}
              onCancel={close}
            />
          ) : (
            <Facts webhook={loaded} />
          )}
        </section>
        <Deliveries webhookId={id} />
      </div>
      {act.value === 'rotate' && (
        <RotateDialog
          title="Rotate the secret"
          about="Events are signed with both secrets for the grace time."
          schema="RotateSecret"
          rotate={async (how) => {
            made.value = await store().webhooks.rotateSecret(id, how, { ifMatch: loaded })
          }}
          onClose={close}
        />
      )}
      {made.value && (
        <SecretDialog
          title="The webhook’s new secret"
          about="Give it to who receives the events before the old one ends."
          secret={made.value.secret}
          onClose={() => (made.value = undefined)}
        />
      )}
    </>
  )
}

const Facts = ({ webhook: { events, description, active, createdAt, disabledReason } }: { webhook: Webhook }) => (
  <dl class="facts">
    <div>
      <dt>State</dt>
      <dd>
        <Status value={active ? 'active' : 'off'} />{' '}
        {disabledReason && `${disabledReason}: ${meaningOf('WebhookDisabledReason')}`}
      </dd>
    </div>
    <div>
      <dt>Events</dt>
      <dd>{events.join(', ')}</dd>
    </div>
    <div>
      <dt>Made</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
    </div>
    {description && (
      <div>
        <dt>Description</dt>
        <dd>{description}</dd>
      </div>
    )}
  </dl>
)

function remove({ id, url }: Webhook): void {
  deleteWithUndo({
    id: `webhook ${id}`,
    text: `The webhook to ${url} is deleted.`,
    send: () => store().webhooks.delete(id),
    done: changed,
  })
  go(hrefOf('/webhooks'))
}
