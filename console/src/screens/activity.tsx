import type { Event } from '@petstore/sdk'
import { type EventSearch, searchEvents } from '../event-search.ts'
import { loadKeyNames } from '../key-names.ts'
import { useLoad } from '../load.ts'
import { Filters } from '../parts/filters.tsx'
import { Heading } from '../parts/heading.tsx'
import { KeyLink } from '../parts/key-link.tsx'
import { List } from '../parts/list.tsx'
import { KeyPicker } from '../parts/pickers.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { ThingFilter } from '../parts/thing-filter.tsx'
import { Time } from '../parts/time.tsx'
import { TimeFilter } from '../parts/time-filter.tsx'
import { loadPetLabels, type PetLabel } from '../pet-labels.ts'
import { hrefOf, isFiltered, param, setParams } from '../router.ts'
import { describeChanges, describeDeed, isDeed, petOf, Thing } from './activity-words.tsx'

/** Something that a key did, with the names of what it concerns. */
interface Deed {
  readonly event: Event
  readonly keys: ReadonlyMap<number, string>
  readonly pet: PetLabel | undefined
}

/** Who did what, and when, from the event log. */
export function Activity() {
  const search: EventSearch = { type: '', from: param('from'), to: param('to'), about: param('about'), by: param('by') }
  const cursor = param('cursor')
  const page = useLoad(JSON.stringify([search, cursor]), (signal) => loadDeeds(search, cursor, signal))
  return (
    <>
      <Heading title="Activity" />
      <Filters columns={columns}>
        <KeyPicker
          label="Key"
          placeholder="Any key"
          value={Number(param('by')) || undefined}
          onChange={(id) => setParams({ by: id ? String(id) : undefined })}
        />
        <ThingFilter />
        <TimeFilter label="From" name="from" />
        <TimeFilter label="To" name="to" />
      </Filters>
      <List
        page={page}
        label="Activity, newest first"
        idOf={({ event }) => event.id}
        columns={columns}
        isStacked
        empty={
          <Empty title={isFiltered() ? 'No activity matches these filters' : 'No activity yet'}>
            {isFiltered() && <a href={hrefOf('/activity')}>Show all activity</a>}
          </Empty>
        }
      />
    </>
  )
}

const columns: Column<Deed>[] = [
  { title: 'When', fixed: true, cell: ({ event }) => <Time at={event.time} /> },
  {
    title: 'Who',
    long: 'less',
    cell: ({ event: { keyId }, keys }) =>
      keyId === undefined ? <span class="soft">the service</span> : <KeyLink id={keyId} names={keys} />,
  },
  {
    title: 'What',
    fixed: true,
    long: true,
    cell: ({ event, pet }) => (
      <span class="deed">
        <span>{describeDeed(event)}</span> <Thing event={event} pet={pet} />
      </span>
    ),
  },
  {
    title: 'Changes',
    long: 'less',
    cell: ({ event }) => (
      <span class="soft wraps" title={describeChanges(event)}>
        {describeChanges(event)}
      </span>
    ),
  },
]

async function loadDeeds(search: EventSearch, cursor: string, signal: AbortSignal) {
  const { items, ...rest } = await searchEvents(search, cursor, signal)
  const events = items.filter(isDeed)
  const keyIds = events.map(({ keyId }) => keyId)
  const [labels, keys] = await Promise.all([loadPetLabels(events.flatMap(petOf), signal), loadKeyNames(keyIds, signal)])
  return { ...rest, items: events.map((event) => ({ event, keys, pet: labels.get(petOf(event)[0] ?? 0) })) }
}
