import type { Event } from '@petstore/sdk'
import { labelOf } from '../description.ts'
import type { PetLabel } from '../pet-labels.ts'
import { hrefOf } from '../router.ts'

const deeds: Readonly<Record<string, string>> = {
  'pet.created': 'Created the pet',
  'pet.updated': 'Changed the pet',
  'pet.deleted': 'Deleted the pet',
  'category.created': 'Created the category',
  'category.updated': 'Changed the category',
  'category.deleted': 'Deleted the category',
  'order.placed': 'Placed',
  'order.updated': 'Changed',
  'order.completed': 'Completed',
  'order.cancelled': 'Cancelled',
  'inventory.changed': 'Changed the stock of',
  'key.created': 'Created the key',
  'key.updated': 'Changed the key',
  'key.rotated': 'Rotated the secret of the key',
  'key.revoked': 'Revoked the key',
  'key.banned': 'Banned the key',
  'key.unbanned': 'Lifted the ban on the key',
  'webhook.disabled': 'Disabled the webhook',
}

interface Fields {
  readonly id?: number
  readonly petId?: number
  readonly name?: string
  readonly url?: string
}

const fieldsOf = (event: Event) => event.data as Fields

/** Whether someone did this. Mere consequences are left out: low stock, and the stock that an order takes. */
export const isDeed = (event: Event): boolean =>
  !['inventory.low', 'inventory.depleted'].includes(event.type) &&
  !(event.type === 'inventory.changed' && 'orderId' in event)

export const describeDeed = ({ type }: Event): string => deeds[type] ?? type

/** The pet that an order or a count is about. */
export function petOf(event: Event): number[] {
  const { petId } = fieldsOf(event)
  return petId === undefined ? [] : [petId]
}

/** The thing that something was done to, with a link unless it is gone. */
export function Thing({ event, pet }: { event: Event; pet: PetLabel | undefined }) {
  const [kind = ''] = event.type.split('.')
  const { id, petId, name, url } = fieldsOf(event)
  const petName = pet?.petName ?? `pet ${petId}`
  if (kind === 'inventory') return <Named href={hrefOf(`/pets/${petId}`)}>{petName}</Named>
  if (kind === 'order') {
    return (
      <>
        <a href={hrefOf(`/orders/${id}`)}>order {id}</a> <span>of</span> <span dir="auto">{petName}</span>
      </>
    )
  }
  const text = name ?? url ?? `${kind} ${id}`
  if (event.type.endsWith('.deleted')) return <span dir="auto">{text}</span>
  const href = kind === 'category' ? hrefOf('/pets', { categoryId: String(id) }) : hrefOf(`${paths[kind]}/${id}`)
  return <Named href={href}>{text}</Named>
}

const Named = ({ href, children }: { href: string; children: string }) => (
  <a dir="auto" href={href}>
    {children}
  </a>
)

const paths: Readonly<Record<string, string>> = { pet: '/pets', key: '/keys', webhook: '/webhooks' }

/** What changed, such as "Quantity: 3 → 5". It leaves out that a completed order is complete, which its title says. */
export function describeChanges({ type, data, previous = {} }: Event): string {
  const now = data as Readonly<Record<string, unknown>>
  return Object.entries(previous)
    .filter(([field]) => !(type === 'order.completed' && field === 'complete'))
    .map(([field, before]) => `${labelOf(field)}: ${format(before)} → ${format(now[field])}`)
    .join(', ')
}

const format = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value)
