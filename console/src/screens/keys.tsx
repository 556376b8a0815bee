import type { ApiKey, ApiKeyWithSecret, NewApiKey } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens, useLoad } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { SecretDialog } from '../parts/secret.tsx'
import { Empty, Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { number, Time } from '../parts/time.tsx'
import { hrefOf, param, setParams } from '../router.ts'
import { session, store } from '../session.ts'
import { isHidden } from '../undo.ts'
import { isKeyFieldVisible, keyState } from './key-fields.ts'

export function Keys() {
  const created = useSignal<ApiKeyWithSecret | undefined>(undefined)
  const [q, sort, cursor] = ['q', 'sort', 'cursor'].map(param)
  const page = useLoad(`${q} ${sort} ${cursor}`, (signal) =>
    store()
      .keys.list(
        { ...(q && { q }), ...(sort && { sort: sort as 'id' }), ...(cursor && { cursor }), limit: 50 },
        { signal },
      )
      .firstPage(),
  )
  const close = () => setParams({ do: undefined }, { replace: true })
  return (
    <>
      <Heading title="API keys">
        <button type="button" onClick={() => setParams({ do: 'new' })}>
          <Icon name="plus" /> Create a key
        </button>
      </Heading>
      <search class="filters">
        <SearchField label="Search keys by name" />
      </search>
      <Show of={page}>
        {({ items, next }) => {
          const rows = items.filter(({ id }) => !isHidden(`key ${id}`))
          return (
            <>
              {rows.length === 0 ? (
                <Empty title="No keys match this search" />
              ) : (
                <Table
                  label="API keys"
                  rows={rows}
                  idOf={({ id }) => id}
                  columns={columns}
                  isLoading={page.value.isLoading}
                />
              )}
              <Pager next={next} count={rows.length} />
            </>
          )
        }}
      </Show>
      {param('do') === 'new' && !created.value && (
        <Dialog title="Create an API key" onClose={close} wide>
          <Form<NewApiKey>
            schema="NewApiKey"
            initial={{ preset: 'client' }}
            isVisible={isKeyFieldVisible}
            submit="Create"
            send={async (key) => {
              created.value = await store().keys.create(key)
              reloadScreens()
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {created.value && (
        <SecretDialog
          title={`Secret of ${created.value.name}`}
          about="Copy it now and store it safely."
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

const columns: Column<ApiKey>[] = [
  { title: 'ID', sort: 'id', numeric: true, minor: true, cell: ({ id }) => <span class="soft">{id}</span> },
  {
    title: 'Name',
    cell: (key) => (
      <>
        <a class="name" href={hrefOf(`/keys/${key.id}`)}>
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
