import type { Event } from '@petstore/sdk'
import { labelOf } from '../description.ts'
import { type PetLabel, useEventPets } from '../pet-labels.ts'
import { hrefOf } from '../router.ts'
import { hasScope } from '../session.ts'
import { Time } from './time.tsx'

/** A short text about an event, and a link. */
export function summarize({ type, data }: Event, pets: ReadonlyMap<number, PetLabel>): { text: string; href?: string } {
  const [kind] = type.split('.')
  const fields = data as { id?: number; name?: string; petId?: number; quantity?: number; url?: string }
  const { id, name, petId = 0, quantity, url } = fields
  const petName = pets.get(petId)?.petName
  switch (kind) {
    case 'pet':
      return { text: name ?? '', href: hrefOf(`/pets/${id}`) }
    case 'category':
      return { text: name ?? '', href: hrefOf('/pets', { categoryId: String(id) }) }
    case 'order':
      return { text: `Order ${id}: ${quantity} of ${petName ?? `pet ${petId}`}`, href: hrefOf(`/orders/${id}`) }
    case 'inventory':
      return { text: `${petName ?? `Pet ${petId}`}: ${quantity} in stock`, href: hrefOf(`/pets/${petId}`) }
    case 'key':
      return { text: name ?? '', href: hrefOf(`/keys/${id}`) }
    case 'webhook':
      return { text: url ?? '', href: hrefOf(`/webhooks/${id}`) }
    default:
      return { text: name ?? '' }
  }
}

/** A list of events. Each opens to show what changed, who changed it, and its data. */
export function EventList({ label, events }: { label: string; events: readonly Event[] }) {
  const pets = useEventPets(events)
  return (
    <ul class="plain events" aria-label={label}>
      {events.map((event) => {
        const { text, href } = summarize(event, pets)
        return (
          <li key={event.id}>
            <details>
              <summary>
                <Time at={event.time} />
                <code>{event.type}</code>
                <span class="what" dir="auto">
                  {text}
                </span>
              </summary>
              <Details event={event} href={href} />
            </details>
          </li>
        )
      })}
    </ul>
  )
}

function Details({ event, href }: { event: Event; href: string | undefined }) {
  const { type, data, previous, keyId } = event
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
