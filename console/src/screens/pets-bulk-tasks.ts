import { type PetStatus, PetStoreError } from '@petstore/sdk'
import { batchSizeFor } from '@petstore/sdk/pet-files'
import type { BulkTask } from '../parts/bulk.tsx'
import { oneByOne } from '../parts/progress.tsx'
import { number } from '../parts/time.tsx'
import { storeForLongTasks } from '../session.ts'

type Ids = readonly number[]

/** The names of pets that can be selected, for messages about them. */
export const petNames = new Map<number, string>()

export const countPets = (count: number): string => (count === 1 ? '1 pet' : `${number(count)} pets`)

const named: Pick<BulkTask, 'nameOf' | 'aboutOf'> = {
  nameOf: (id) => petNames.get(id) ?? `Pet ${id}`,
  aboutOf: (petId) => ({ petId }),
}

export const setStatus = (ids: Ids, status: string): BulkTask => ({
  title: `Set ${countPets(ids.length)} to ${status}`,
  ids,
  ...named,
  run: oneByOne((id, signal) => storeForLongTasks().pets.update(id, { status: status as PetStatus }, { signal })),
  done: (count) => `${countPets(count)} set to ${status}`,
})

export const moveToCategory = (ids: Ids, categoryId: number, name: string): BulkTask => ({
  title: `Move ${countPets(ids.length)} to ${name}`,
  ids,
  ...named,
  run: oneByOne((id, signal) => storeForLongTasks().pets.update(id, { categoryId }, { signal })),
  done: (count) => `${countPets(count)} moved to ${name}`,
})

export const deletePets = (ids: Ids): BulkTask => ({
  title: `Delete ${countPets(ids.length)}`,
  ids,
  ...named,
  run: oneByOne((id, signal) => storeForLongTasks().pets.delete(id, { signal })),
  done: (count) => `${countPets(count)} deleted`,
})

export const setStock = (ids: Ids, quantity: number): BulkTask => ({
  title: `Set the stock of ${countPets(ids.length)} to ${number(quantity)}`,
  ids,
  ...named,
  batchSize: batchSizeFor(storeForLongTasks()),
  run: (batch, signal) => setCounts(batch, quantity, signal),
  done: (count) => `${countPets(count)} with ${number(quantity)} in stock`,
})

/** A batch is all or nothing, so rejected pets are taken out and the rest is sent again. */
async function setCounts(ids: Ids, quantity: number, signal: AbortSignal): Promise<ReadonlyMap<number, unknown>> {
  const rejections = new Map<number, unknown>()
  for (let left = ids; left.length > 0; ) {
    try {
      await storeForLongTasks().store.inventory.setMany(
        left.map((petId) => ({ petId, quantity })),
        { signal },
      )
      break
    } catch (error) {
      const rejected = rejectedIn(error, left)
      if (rejected.length === 0) throw error
      for (const id of rejected) rejections.set(id, error)
      left = left.filter((id) => !rejections.has(id))
    }
  }
  return rejections
}

/** The pets that the faults name, by their place in the batch. */
function rejectedIn(error: unknown, ids: Ids): Ids {
  if (!(error instanceof PetStoreError)) return []
  return error.errors.flatMap(({ path = '' }) => ids[Number(/^\/(\d+)/.exec(path)?.[1] ?? -1)] ?? [])
}
