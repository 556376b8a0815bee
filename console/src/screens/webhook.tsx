import type { ApiKey, Tagged, Webhook, WebhookPatch, WebhookWithSecret } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens, useLoad } from '../load.ts'
import { Card, EditButton } from '../parts/card.tsx'
import { ChangesForm } from '../parts/changes-form.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Heading } from '../parts/heading.tsx'
import { RotateDialog, SecretDialog } from '../parts/secret.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { startPending } from '../pending.ts'
import { hrefOf, leaveItem } from '../router.ts'
import { session, store } from '../session.ts'
import { Deliveries } from './deliveries.tsx'
import { WebhookDay } from './webhook-day.tsx'
import { whyOff } from './webhook-off.ts'

/** One webhook: its settings, deliveries and a test ping. */
export function WebhookScreen({ id }: { id: number }) {
  const webhook = useLoad(String(id), async (signal) => {
    const found = await store().webhooks.get(id, { signal })
    const isOwn = found.keyId === session.value?.status.keyId
    return { found, otherOwner: isOwn ? undefined : await store().keys.get(found.keyId, { signal }) }
  })
  return (
    <Show of={webhook}>
      {({ found, otherOwner }) =>
        otherOwner ? <OtherWebhook webhook={found} owner={otherOwner} /> : <OwnWebhook webhook={found} />
      }
    </Show>
  )
}

/** A key manager sees the webhook of another key and can switch it off. */
function OtherWebhook({ webhook, owner }: { webhook: Tagged<Webhook>; owner: ApiKey }) {
  const switchOff = () =>
    store().webhooks.update(webhook.id, { active: false }, { ifMatch: webhook }).then(reloadScreens, toastFailure)
  return (
    <>
      <Heading title={webhook.url} up={{ href: hrefOf('/webhooks'), text: 'Webhooks' }}>
        {webhook.active && (
          <button type="button" class="quiet danger" onClick={switchOff}>
            Switch off
          </button>
        )}
      </Heading>
      <Card id="about" title="About">
        <p>
          This webhook belongs to <a href={hrefOf(`/keys/${owner.id}`)}>{owner.name}</a>. Only that key can change it
          and see its deliveries.
        </p>
        <WebhookFacts webhook={webhook} />
      </Card>
    </>
  )
}

function OwnWebhook({ webhook: loaded }: { webhook: Tagged<Webhook> }) {
  const { id } = loaded
  const openForm = useSignal<'edit' | 'rotate' | undefined>(undefined)
  const created = useSignal<WebhookWithSecret | undefined>(undefined)
  const changes = useSignal(0)
  const close = () => {
    openForm.value = undefined
  }
  const ping = () =>
    store()
      .webhooks.ping(id)
      .then(() => {
        toast({ text: 'Ping sent.' })
        reloadScreens()
      }, toastFailure)
  return (
    <>
      <Heading title={loaded.url} up={{ href: hrefOf('/webhooks'), text: 'Webhooks' }}>
        <button type="button" class="quiet" onClick={ping}>
          Ping
        </button>
        <button type="button" class="quiet" onClick={() => (openForm.value = 'rotate')}>
          Rotate secret
        </button>
        <Undoable id={`webhook ${id}`}>
          <button type="button" class="quiet danger" onClick={() => deleteWebhook(loaded)}>
            Delete
          </button>
        </Undoable>
      </Heading>
      <div class="detail aside-first">
        <Card
          id="about"
          title="About"
          aside={openForm.value !== 'edit' && <EditButton onClick={() => (openForm.value = 'edit')} />}
        >
          {openForm.value === 'edit' ? (
            <ChangesForm<WebhookPatch>
              schema="WebhookPatch"
              initial={{ ...loaded }}
              save={(changes) => store().webhooks.update(id, changes, { ifMatch: loaded })}
              onClose={close}
            />
          ) : (
            <WebhookFacts webhook={loaded} />
          )}
        </Card>
        <WebhookDay webhookId={id} changes={changes.value} />
        <Deliveries webhookId={id} isActive={loaded.active} onChange={() => changes.value++} />
      </div>
      {openForm.value === 'rotate' && (
        <RotateDialog
          title="Rotate the secret"
          about="Events are signed with both secrets until the grace period ends."
          schema="RotateWebhook"
          rotate={async (rotation, idempotencyKey) => {
            created.value = await store().webhooks.rotate(id, rotation, { ifMatch: loaded, idempotencyKey })
          }}
          onClose={close}
        />
      )}
      {created.value && (
        <SecretDialog
          title="The webhook’s new secret"
          about="Give it to the receiver of the events before the old one expires."
          secret={created.value.secret}
          onClose={() => (created.value = undefined)}
        />
      )}
    </>
  )
}

const WebhookFacts = ({ webhook }: { webhook: Webhook }) => (
  <Facts>
    <Fact name="State">
      <Status value={webhook.active ? 'active' : 'off'} /> {whyOff(webhook)}
    </Fact>
    <Fact name="Events">{webhook.events.join(', ')}</Fact>
    <Fact name="Created">
      <Time at={webhook.createdAt} />
    </Fact>
    {webhook.description && <Fact name="Description">{webhook.description}</Fact>}
  </Facts>
)

function deleteWebhook({ id, url }: Webhook): void {
  startPending({
    id: `webhook ${id}`,
    verb: 'deleted',
    doneText: `The webhook to ${url} was deleted.`,
    send: () => store().webhooks.delete(id),
    onDone: () => leaveItem('/webhooks', id),
  })
}
