import type { NewWebhook, Webhook, WebhookWithSecret } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens, useLoad } from '../load.ts'
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
import { hasScope, store } from '../session.ts'
import { isHidden } from '../undo.ts'

/** The webhooks of this key; with `keys:manage`, those of every key. */
export function Webhooks() {
  const created = useSignal<WebhookWithSecret | undefined>(undefined)
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
                  <p>A webhook receives signed events from the shop, each at least once.</p>
                </Empty>
              ) : (
                <Table
                  label="Webhooks"
                  rows={rows}
                  idOf={({ id }) => id}
                  columns={hasScope('keys:manage') ? [...columns, keyColumn] : columns}
                  isLoading={page.value.isLoading}
                />
              )}
              <Pager next={next} count={rows.length} />
            </>
          )
        }}
      </Show>
      {param('do') === 'new' && !created.value && (
        <Dialog title="Add a webhook" onClose={close} wide>
          <Form<NewWebhook>
            schema="NewWebhook"
            initial={{ active: true }}
            submit="Add"
            send={async (webhook) => {
              created.value = await store().webhooks.create(webhook)
              reloadScreens()
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {created.value && (
        <SecretDialog
          title="The webhook’s secret"
          about="The receiver of the events verifies their signatures with it."
          secret={created.value.secret}
          onClose={() => {
            created.value = undefined
            close()
          }}
        />
      )}
    </>
  )
}

const columns: Column<Webhook>[] = [
  {
    title: 'URL',
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
