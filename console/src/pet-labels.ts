import type { Event, Page, PetProfile } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { reserveRequests } from './budget.ts'
import { findDeletedNames } from './deleted-pets.ts'
import { hasScope, store } from './session.ts'

// Orders, stock and events have only the id of their pet. Its name is loaded once, and events keep it up to date.

/** What a list shows of a pet. */
export interface PetLabel {
  readonly petName?: string | undefined
  /** Absent if the pet is deleted. */
  readonly petCategory?: string
  readonly isPetDeleted?: boolean
}

type Labels = ReadonlyMap<number, PetLabel>

const idsMax = 100
/** A pet may lack a name here: it is deleted, or the key cannot see it. */
const known = signal<Labels>(new Map())

const remember = (labels: Iterable<readonly [number, PetLabel]>): void => {
  known.value = new Map([...known.peek(), ...labels])
}

/** Remembers pets that a screen has loaded. */
export const rememberPets = (pets: readonly PetProfile[]): void =>
  remember(pets.map(({ id, name, category }) => [id, { petName: name, petCategory: category.name }]))

/** Forgets all of them, because events may have been missed. */
export function forgetPets(): void {
  known.value = new Map()
}

/** Follows an event that has just happened. */
export function followPet({ type, data, previous }: Event): void {
  const { id, name } = data as { id: number; name: string }
  const label = known.peek().get(id)
  if (type.startsWith('category.')) forgetPets()
  else if (type === 'pet.deleted') remember([[id, { petName: name, isPetDeleted: true }]])
  else if (type === 'pet.updated' && label) {
    if (previous && 'categoryId' in previous) known.value = new Map([...known.peek()].filter(([one]) => one !== id))
    else remember([[id, { ...label, petName: name }]])
  }
}

/** Loads the names of pets that are not known. */
async function loadNames(ids: readonly number[], signal: AbortSignal): Promise<void> {
  const missing = ids.filter((id) => !known.peek().has(id)).slice(0, idsMax)
  if (missing.length === 0 || !hasScope('pets:read')) return
  const { items } = await store().pets.list({ ids: missing, limit: idsMax }, { signal }).firstPage()
  remember(missing.map((id) => [id, {}]))
  remember(items.map(({ id, name }) => [id, { petName: name }]))
}

const isWhole = ({ petCategory, isPetDeleted }: PetLabel = {}): boolean =>
  petCategory !== undefined || isPetDeleted === true

/** Labels of pets by id. Pets that the key cannot see have none; those deleted long ago have no name. */
export async function loadPetLabels(ids: readonly number[], signal: AbortSignal): Promise<Labels> {
  if (!hasScope('pets:read')) return new Map()
  const isMissing = (id: number) => !isWhole(known.peek().get(id))
  const missing = [...new Set(ids)].filter(isMissing)
  for (let start = 0; start < missing.length; start += idsMax) {
    const some = missing.slice(start, start + idsMax)
    rememberPets(await store().pets.profiles({ ids: some, limit: idsMax }, { signal }).toArray())
    const gone = some.filter(isMissing)
    const deleted = await findDeletedNames(gone, signal)
    remember(gone.map((id) => [id, { petName: deleted.get(id), isPetDeleted: true }]))
  }
  return known.peek()
}

export type WithPetName<T> = T & PetLabel

/** Adds the label of its pet to each item, if it has one. */
export async function addPetNames<T extends { readonly petId: number }>(
  { items, ...rest }: Page<T>,
  signal: AbortSignal,
): Promise<Page<WithPetName<T>>> {
  const labels = await loadPetLabels(
    items.map(({ petId }) => petId),
    signal,
  )
  return { ...rest, items: items.map((item) => ({ ...item, ...labels.get(item.petId) })) }
}

/** The names of the pets of these events, as far as they are known. Loads the others with one request. */
export function useEventPets(events: readonly Event[]): Labels {
  const labels = known.value
  const ids = [...new Set(events.map(({ data }) => (data as { petId?: number }).petId))]
  const missing = ids.filter((id): id is number => id !== undefined && !labels.has(id))
  useEffect(() => {
    if (missing.length === 0) return
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const load = () => {
      const waitMs = reserveRequests(1)
      // The list is useful without names.
      if (waitMs > 0) timer = setTimeout(load, waitMs)
      else loadNames(missing, ended.signal).catch(() => undefined)
    }
    load()
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [missing.join()])
  return labels
}
