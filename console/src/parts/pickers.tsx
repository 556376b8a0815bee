import type { ApiKey, Category } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { hasScope, store } from '../session.ts'
import { type Choice, Combobox } from './combobox.tsx'
import { toast } from './toasts.tsx'

interface Props {
  readonly id?: string
  readonly label?: string
  readonly value: number | undefined
  readonly onChange: (id: number | undefined, name?: string) => void
  /** Whether an item that is not found can be created. */
  readonly canCreate?: boolean
  readonly placeholder?: string
  readonly required?: boolean
  readonly describedBy?: string | undefined
  readonly invalid?: boolean
}

const resultsMax = 12

interface Source {
  readonly search: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>
  readonly find: (id: number, signal: AbortSignal) => Promise<Choice>
  readonly create?: (name: string) => Promise<Choice>
}

const categories: Source = {
  search: async (q, signal) => {
    const { items } = await store()
      .categories.list({ ...(q && { q }), sort: 'name', limit: resultsMax }, { signal })
      .firstPage()
    return items.map((category) => categoryChoice(category, items))
  },
  async find(id, signal) {
    const category = await store().categories.get(id, { signal })
    const { items } = await store()
      .categories.list({ q: category.name, sort: 'name', limit: 100 }, { signal })
      .firstPage()
    return categoryChoice(category, items)
  },
  async create(name) {
    const { id } = await store().categories.create({ name })
    toast({ text: `${name} was created.` })
    return { id, name }
  },
}

/** Categories may share a name; then the number is part of it. */
const categoryChoice = ({ id, name, description }: Category, others: readonly Category[]): Choice => ({
  id,
  name: others.some((other) => other.name === name && other.id !== id) ? `${name} #${id}` : name,
  ...(description && { detail: description }),
})

const pets: Source = {
  search: async (q, signal) => {
    const { items } = await store()
      .pets.profiles({ ...(q && { q }), sort: 'name', limit: resultsMax }, { signal })
      .firstPage()
    return items.map(petChoice)
  },
  find: async (id, signal) => petChoice(await store().pets.profile(id, { signal })),
}

const petChoice = ({ id, name, status, stock }: { id: number; name: string; status: string; stock: number }) => ({
  id,
  name,
  detail: `#${id}, ${status}, ${stock} in stock`,
})

const keys: Source = {
  search: async (q, signal) => {
    const query = { ...(q && { q }), limit: resultsMax }
    const inUse = await store().keys.list(query, { signal }).firstPage()
    const revoked = await store()
      .keys.list({ ...query, revoked: true }, { signal })
      .firstPage()
    return [...inUse.items, ...revoked.items].map(keyChoice)
  },
  find: async (id, signal) => keyChoice(await store().keys.get(id, { signal })),
}

const keyChoice = ({ id, name, revokedAt }: ApiKey): Choice => ({ id, name, ...(revokedAt && { detail: 'revoked' }) })

/** Creates a field that selects an item by name and returns its id. */
function createPicker(source: Source) {
  return ({ value, onChange, canCreate = false, ...rest }: Props) => {
    const choice = useSignal<Choice | undefined>(undefined)
    useEffect(() => {
      if (value === undefined) choice.value = undefined
      if (value === undefined || choice.value?.id === value) return
      const ended = new AbortController()
      choice.value = { id: value, name: `#${value}` }
      source.find(value, ended.signal).then(
        (found) => {
          if (!ended.signal.aborted) choice.value = found
        },
        () => undefined,
      )
      return () => ended.abort()
    }, [value])
    return (
      <Combobox
        {...rest}
        value={choice.value}
        search={source.search}
        create={canCreate && hasScope('pets:write') ? source.create : undefined}
        onChoose={(chosen) => {
          choice.value = chosen
          onChange(chosen?.id, chosen?.name)
        }}
      />
    )
  }
}

export const CategoryPicker = createPicker(categories)
export const PetPicker = createPicker(pets)
export const KeyPicker = createPicker(keys)
