import type { Event } from '@petstore/sdk'
import { labelOf } from '../description.ts'
import { hrefOf } from '../router.ts'
import { hasScope } from '../session.ts'
import { Time } from './time.tsx'

/** A short text about an event, and a link. */
function summarize({ type, data }: Event): { text: string; href?: string } {
  const [kind] = type.split('.')
  const fields = data as { id?: number; name?: string; petId?: number; quantity?: number; url?: string }
  const { id, name, petId, quantity, url } = fields
  switch (kind) {
    case 'pet':
      return { text: name ?? '', href: hrefOf(`/pets/${id}`) }
    case 'category':
      return { text: name ?? '', href: hrefOf('/pets', { categoryId: String(id) }) }
    case 'order':
      return { text: `Order ${id}: ${quantity} of pet ${petId}`, href: hrefOf(`/orders/${id}`) }
    case 'inventory':
      return { text: `Pet ${petId}: ${quantity} in stock`, href: hrefOf(`/pets/${petId}`) }
    case 'key':
      return { text: name ?? '', href: hrefOf(`/keys/${id}`) }
    case 'webhook':
      return { text: url ?? '', href: hrefOf(`/webhooks/${id}`) }
    default:
      return { text: name ?? '' }
  }
}

/** A list of events. Each opens to what changed, by whom, and its data. */
export const EventList = ({ label, events }: { label: string; events: readonly Event[] }) => (
  <ul class="plain events" aria-label={label}>
    {events.map((event) => (
      <li key={event.id}>
        <details>
          <summary>
            <Time at={event.time} />
            <code>{event.type}</code>
            <span class="what">{summarize(event).text}</span>
          </summary>
          <Details event={event} />
        </details>
      </li>
    ))}
  </ul>
)

function Details({ event }: { event: Event }) {
  const { type, data, previous, keyId } = event
  const { href } = summarize(event)
  const now = data as Readonly<Record<string, unknown>>
  return (
    <>
      {previous && (
        <table class="list changes" aria-label="What changed">
          <thead>
            <tr>
              <th>Field</th>
              <th>Before</th>
              <th>After</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(previous).map(([field, before]) => (
              <tr key={field}>
                <th scope="row">{labelOf(field)}</th>
                <td>{format(before)}</td>
                <td>{format(now[field])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <pre>{JSON.stringify(data, null, 2)}</pre>
      <p class="soft small">
        {new Date(event.time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })}, event{' '}
        <code>{event.id}</code>
        {keyId !== undefined && hasScope('keys:manage') && (
          <>
            , by <a href={hrefOf(`/keys/${keyId}`)}>key {keyId}</a>
          </>
        )}
        {href && !type.endsWith('.deleted') && (
          <>
            {' '}
            <a href={href}>Open</a>
          </>
        )}
      </p>
    </>
  )
}

const format = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value)
