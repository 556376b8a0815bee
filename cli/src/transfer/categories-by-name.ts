import { createHash } from 'node:crypto'
import type { PetStore } from '@petstore/sdk'

export interface WantedCategory {
  readonly name: string
  /** Which of those that share the name, by id, from 1. */
  readonly number?: number | undefined
  readonly description?: string | undefined
}

export interface CategoriesByName {
  /** The id of a category, which is made where there is none. */
  idOf(wanted: WantedCategory): Promise<number>
  /** How many were made, or would be. */
  made(): number
}

interface Making {
  /** Only say what would be made. */
  readonly dryRun: boolean
  /** Begins the idempotency keys of those that are made. */
  readonly idempotency: string
}

/** Several categories may have the same name; the number tells them apart. */
export async function categoriesByName(shop: PetStore, { dryRun, idempotency }: Making): Promise<CategoriesByName> {
  const ids = new Map<string, number[]>()
  let count = 0
  for await (const { id, name } of shop.categories.list({ limit: 100 })) ids.set(name, [...(ids.get(name) ?? []), id])

  async function make({ name, description }: WantedCategory, number: number): Promise<number> {
    count++
    if (dryRun) return 0
    const digest = createHash('sha256').update(`${number} ${name}`).digest('hex').slice(0, 32)
    const category = { name, ...(description !== undefined && { description }) }
    return (await shop.categories.create(category, { idempotencyKey: `${idempotency}-${digest}` })).id
  }

  return {
    async idOf(wanted) {
      const known = ids.get(wanted.name) ?? []
      ids.set(wanted.name, known)
      const number = wanted.number ?? 1
      while (known.length < number) known.push(await make(wanted, known.length + 1))
      return known[number - 1] as number
    },
    made: () => count,
  }
}
