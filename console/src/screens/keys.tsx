import type { ApiKey, ApiKeyWithSecret, NewApiKey } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { firstFilledPage } from '../first-filled-page.ts'
import { reloadScreens } from '../load.ts'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Heading, NewButton } from '../parts/heading.tsx'
import { List } from '../parts/list.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { SecretDialog } from '../parts/secret.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { number, Time } from '../parts/time.tsx'
import { closeDialog, hrefOf, param } from '../router.ts'
import { session, store } from '../session.ts'
import { usePage } from '../use-page.ts'
import { isKeyFieldVisible, keyState } from './key-fields.ts'

export function Keys() {
  const created = useSignal<ApiKeyWithSecret | undefined>(undefined)
  const page = usePage(['q', 'revoked', 'sort'], (query, options) => firstFilledPage(store().keys.list(query, options)))
  return (
    <>
      <Heading title="API keys">
        <NewButton>Create a key</NewButton>
      </Heading>
      <Filters columns={columns}>
        <SearchField label="Search keys by name" />
        <Filter label="State" name="revoked" otherwise="In use" choices={[['true', 'Revoked']]} />
      </Filters>
      <List
        page={page}
        label="API keys"
        idOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty title={param('q') ? 'No keys match this search' : 'No key was revoked'}>
            <a href={hrefOf('/keys')}>Show the keys in use</a>
          </Empty>
        }
      />
      {param('do') === 'new' && !created.value && (
        <FormDialog<NewApiKey>
          title="Create an API key"
          wide
          schema="NewApiKey"
          initial={{ preset: 'client' }}
          isVisible={isKeyFieldVisible}
          submit="Create"
          send={async (key, { idempotencyKey }) => {
            created.value = await store().keys.create(key, { idempotencyKey })
            reloadScreens()
          }}
          onClose={closeDialog}
        />
      )}
      {created.value && (
        <SecretDialog
          title={`Secret of ${created.value.name}`}
          about="Copy it now and store it safely."
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

const columns: Column<ApiKey>[] = [
  { title: 'ID', sort: 'id', numeric: true, minor: true, cell: ({ id }) => <span class="soft">{id}</span> },
  {
    title: 'Name',
    fixed: true,
    long: true,
    cell: (key) => (
      <>
        <a class="name" dir="auto" href={hrefOf(`/keys/${key.id}`)}>
          {key.name}
        </a>{' '}
        {key.id === session.value?.status.keyId && <span class="soft">yours</span>}
      </>
    ),
  },
  { title: 'Prefix', minor: true, cell: ({ prefix }) => <code>{prefix}</code> },
  { title: 'Plan', cell: ({ plan }) => plan },
  { title: 'Per minute', numeric: true, minor: true, cell: ({ limits }) => number(limits.perMinute) },
  { title: 'Per day', numeric: true, minor: true, cell: ({ limits }) => number(limits.perDay) },
  { title: 'Last used', minor: true, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never') },
  { title: 'State', cell: (key) => <Status value={keyState(key)} /> },
]
