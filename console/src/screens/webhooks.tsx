import type { NewWebhook, Page, Webhook, WebhookWithSecret } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { loadKeyNames } from '../key-names.ts'
import { reloadScreens } from '../load.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Heading, NewButton } from '../parts/heading.tsx'
import { KeyLink } from '../parts/key-link.tsx'
import { List } from '../parts/list.tsx'
import { SecretDialog } from '../parts/secret.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { closeDialog, hrefOf, param } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usePage } from '../use-page.ts'

/** The webhooks of this key; with `keys:manage`, those of every key. */
export function Webhooks() {
  const created = useSignal<WebhookWithSecret | undefined>(undefined)
  const page = usePage([], async (query, options) =>
    withKeyNames(await store().webhooks.list(query, options).firstPage(), options),
  )
  return (
    <>
      <Heading title="Webhooks">
        <NewButton>Add a webhook</NewButton>
      </Heading>
      <Unseen scope="keys:manage">webhooks of other keys</Unseen>
      <List
        page={page}
        label="Webhooks"
        idOf={({ id }) => id}
        columns={hasScope('keys:manage') ? [...columns, keyColumn] : columns}
        empty={
          <Empty title={hasScope('keys:manage') ? 'No webhooks yet' : 'Your key has no webhooks yet'}>
            <p>A webhook receives signed events from the shop, each at least once.</p>
            <NewButton>Add the first webhook</NewButton>
          </Empty>
        }
      />
      {param('do') === 'new' && !created.value && (
        <FormDialog<NewWebhook>
          title="Add a webhook"
          wide
          schema="NewWebhook"
          initial={{ active: true }}
          submit="Add"
          send={async (webhook, { idempotencyKey }) => {
            created.value = await store().webhooks.create(webhook, { idempotencyKey })
            reloadScreens()
          }}
          onClose={closeDialog}
        />
      )}
      {created.value && (
        <SecretDialog
          title="The webhook’s secret"
          about="The receiver of the events verifies their signatures with it."
          secret={created.value.secret}
          onClose={() => {
            created.value = undefined
            closeDialog()
          }}
        />
      )}
    </>
  )
}

type Row = Webhook & { readonly keyNames: ReadonlyMap<number, string> }

async function withKeyNames(page: Page<Webhook>, { signal }: { signal: AbortSignal }): Promise<Page<Row>> {
  const keyNames = await loadKeyNames(
    page.items.map(({ keyId }) => keyId),
    signal,
  )
  return { ...page, items: page.items.map((webhook) => ({ ...webhook, keyNames })) }
}

const columns: Column<Row>[] = [
  {
    title: 'URL',
    long: true,
    cell: ({ id, url }) => (
      <a class="name" href={hrefOf(`/webhooks/${id}`)}>
        {url}
      </a>
    ),
  },
  {
    title: 'Events',
    long: 'less',
    minor: true,
    cell: ({ events }) => <span class="wraps">{events.join(', ')}</span>,
  },
  { title: 'State', cell: ({ active }) => <Status value={active ? 'active' : 'off'} /> },
]

const keyColumn: Column<Row> = {
  title: 'Key',
  long: 'less',
  minor: true,
  cell: ({ keyId, keyNames }) => <KeyLink id={keyId} names={keyNames} />,
}
