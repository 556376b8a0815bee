import type { Event } from '@petstore/sdk'
import { hrefOf } from '../router.ts'

/** The time of day, with the date if it is not today. */
function formatTime(at: string): string {
  const time = new Date(at)
  const isToday = time.toDateString() === new Date().toDateString()
  return isToday
    ? time.toLocaleTimeString()
    : time.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' })
}

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
      return { text: '' }
  }
}

/** A list of events, each with its JSON. */
export const EventList = ({ label, events }: { label: string; events: readonly Event[] }) => (
  <ul class="plain events" aria-label={label}>
    {events.map((event) => {
      const { text, href } = summarize(event)
      return (
        <li key={event.id}>
          <details>
            <summary>
              <time dateTime={event.time} title={event.time}>
                {formatTime(event.time)}
              </time>
              <code>{event.type}</code>
              <span class="what">{text}</span>
            </summary>
            <pre>{JSON.stringify(event, null, 2)}</pre>
            {href && !event.type.endsWith('.deleted') && <a href={href}>Open</a>}
          </details>
        </li>
      )
    })}
  </ul>
)
