import type { NewWebhook, Webhook, WebhookWithSecret } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { changed, useLoad } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pager } from '../parts/pager.tsx'
import { SecretDialog } from '../parts/secret.tsx'
import { Empty, Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { hrefOf, param, setParams } from '../router.ts'
import { may, store } from '../session.ts'
import { isHidden } from '../undo.ts'

/** The endpoints of this key; with `keys:manage`, those of every key. */
export function Webhooks() {
  const made = useSignal<WebhookWithSecret | undefined>(undefined)
  const cursor = param('cursor')
  const page = useLoad(cursor, (signal) =>
    store()
      .webhooks.list({ ...(cursor && { cursor }), limit: 50 }, { signal })
      .firstPage(),
  )
  const close = () => setParams({ do: undefined }, { replace: true })
  return (
    <>
      <Heading title="Webhooks">
        <button type="button" onClick={() => setParams({ do: 'new' })}>
          <Icon name="plus" /> Add a webhook
        </button>
      </Heading>
      <Show of={page}>
        {({ items, next }) => {
          const rows = items.filter(({ id }) => !isHidden(`webhook ${id}`))
          return (
            <>
              {rows.length === 0 ? (
                <Empty title="No webhooks yet">
                  <p>A webhook is sent what happens in the shop, signed, at least once.</p>
                </Empty>
              ) : (
                <Table
                  label="Webhooks"
                  rows={rows}
                  idOf={({ id }) => id}
                  columns={may('keys:manage') ? [...columns, keyColumn] : columns}
                  busy={page.value.busy}
                />
              )}
              <Pager next={next} shown={rows.length} />
            </>
          )
        }}
      </Show>
      {param('do') === 'new' && !made.value && (
        <Dialog title="Add a webhook" onClose={close} wide>
          <Form<NewWebhook>
            schema="NewWebhook"
            initial={{ active: true }}
            submit="Add"
            send={async (webhook) => {
              made.value = await store().webhooks.create(webhook)
              changed()
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {made.value && (
        <SecretDialog
          title="The webhook’s secret"
          about="Whoever receives the events checks their signature with it."
          secret={made.value.secret}
          onClose={() => {
            made.value = undefined
            close()
          }}
        />
      )}
    </>
  )
}

const columns: Column<Webhook>[] = [
  {
    title: 'Address',
    cell: ({ id, url }) => (
      <a class="name" href={hrefOf(`/webhooks/${id}`)}>
        {url}
      </a>
    ),
  },
  { title: 'Events', minor: true, cell: ({ events }) => events.join(', ') },
  { title: 'State', cell: ({ active }) => <Status value={active ? 'active' : 'off'} /> },
]

const keyColumn: Column<Webhook> = {
  title: 'Key',
  minor: true,
  cell: ({ keyId }) => <a href={hrefOf(`/keys/${keyId}`)}>Key {keyId}</a>,
}
