import type { PetStore } from '../petstore.ts'

const pageSize = 100

export interface CategoryRef {
  readonly name: string
  /** Position by id among the categories of this name; 1 unless given. */
  readonly number?: number | undefined
  /** Takes precedence if a category of this name has this id. */
  readonly id?: number | undefined
  readonly description?: string | undefined
  /** If no category has exactly this name, take an existing one that differs in case. */
  readonly ignoreCase?: boolean
  /** The line of the file that refers to it. */
  readonly line: number
}

export interface CategoriesByName {
  /** The id of the category, which is created if missing; undefined if it is missing and must not be created. */
  find(ref: CategoryRef): Promise<number | undefined>
  /** The id, if a category has it. */
  get(id: number | undefined): number | undefined
  /** The names of the categories that were created, or would be in a dry run. */
  readonly created: readonly string[]
  /** How many requests it took to load them. */
  readonly requests: number
}

interface Options {
  readonly dryRun: boolean
  readonly canCreate: boolean
  /** Prefix of the idempotency keys. */
  readonly idempotency: string
  readonly signal: AbortSignal | undefined
}

/** Several categories may have the same name; their number tells them apart. */
export async function loadCategories(shop: PetStore, options: Options): Promise<CategoriesByName> {
  const { dryRun, canCreate, idempotency, signal } = options
  const ids = new Map<string, number[]>()
  const existing = new Map<string, string>()
  const existingIds = new Set<number>()
  const created: string[] = []
  let requests = 0
  for await (const { items } of shop.categories.list({ limit: pageSize }, { signal }).pages()) {
    requests++
    for (const { id, name } of items) {
      ids.set(name, [...(ids.get(name) ?? []), id])
      existingIds.add(id)
      if (!existing.has(name.toLowerCase())) existing.set(name.toLowerCase(), name)
    }
  }

  async function create({ name, description, line }: CategoryRef, number: number): Promise<number> {
    const category = { name, ...(description !== undefined && { description }) }
    // A resumed import creates the category again at the same line, so the same key makes that safe.
    const idempotencyKey = `${idempotency}-category-${line}-${number}`
    const id = dryRun ? 0 : (await shop.categories.create(category, { idempotencyKey, signal })).id
    created.push(name)
    if (!existing.has(name.toLowerCase())) existing.set(name.toLowerCase(), name)
    return id
  }

  return {
    created,
    requests,
    get: (id) => (id !== undefined && existingIds.has(id) ? id : undefined),
    async find(ref) {
      const inOtherCase = ref.ignoreCase && !ids.has(ref.name) ? existing.get(ref.name.toLowerCase()) : undefined
      const name = inOtherCase ?? ref.name
      const known = ids.get(name) ?? []
      if (ref.id !== undefined && known.includes(ref.id)) return ref.id
      const number = ref.number ?? 1
      if (known.length < number && !canCreate) return undefined
      ids.set(name, known)
      while (known.length < number) known.push(await create({ ...ref, name }, known.length + 1))
      return known[number - 1]
    },
  }
}
