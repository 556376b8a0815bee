import { headersOf, type NewPet, type Pet, type PetStore, PetStoreError } from '@petstore/sdk'
import type { PetRecord } from './record.ts'

/** A pet of a file, ready to be sent. */
export interface PendingPet {
  readonly line: number
  readonly record: PetRecord
  readonly categoryId: number
}

export interface Refusal {
  readonly line: number
  readonly message: string
}

interface Registering {
  readonly shop: PetStore
  readonly batch: readonly PendingPet[]
  /** Begins the idempotency key. */
  readonly idempotency: string
  /** Asked when the service has answered from what it remembers, before anything is set; throws where that must not be. */
  readonly replayed: () => void
}

interface Registered {
  readonly pets: number
  readonly refusals: readonly Refusal[]
}

/** Registers up to 100 pets with their stock and status. Those that the service refuses are named, and the others go on without them. */
export async function registerBatch({ shop, batch, idempotency, replayed }: Registering): Promise<Registered> {
  const refusals: Refusal[] = []
  let left = batch
  // Each round takes out what was refused, so it ends. The key has the round in it, for the body is another one.
  for (let round = 0; left.length > 0; round++) {
    const answer = await register(shop, left, `${idempotency}-${round}`)
    if (!(answer instanceof Map)) {
      if (headersOf(answer)?.get('idempotent-replayed') === 'true') replayed()
      await setStock(shop, left, answer)
      return { pets: answer.length, refusals }
    }
    for (const [index, message] of answer) refusals.push({ line: left[index]?.line ?? 0, message })
    left = left.filter((_, index) => !answer.has(index))
  }
  return { pets: 0, refusals }
}

/** The pets as registered, or what is wrong with which of them. */
async function register(
  shop: PetStore,
  batch: readonly PendingPet[],
  idempotencyKey: string,
): Promise<readonly Pet[] | Map<number, string>> {
  try {
    return await shop.pets.batch(batch.map(asNew), { idempotencyKey })
  } catch (error) {
    const faults = faultsByIndex(error)
    if (faults.size === 0) throw error
    return faults
  }
}

const asNew = ({ record: { name, status }, categoryId }: PendingPet): NewPet => ({
  name,
  categoryId,
  ...(status !== undefined && { status }),
})

/** What a refused batch says of each item: its faults have paths such as `/3/name`. */
function faultsByIndex(error: unknown): Map<number, string> {
  const faults = new Map<number, string>()
  if (!(error instanceof PetStoreError) || (error.status !== 400 && error.status !== 422)) return faults
  for (const { path = '', message } of error.errors) {
    const [, digits, field] = /^\/(\d+)(?:\/(.*))?$/.exec(path) ?? []
    if (digits === undefined) continue
    const before = faults.get(Number(digits))
    faults.set(Number(digits), `${before ? `${before}; ` : ''}${field ? `${field}: ` : ''}${message}`)
  }
  return faults
}

/** Registering puts one in stock, none of one that is sold. What the file says otherwise is set, and may be set again. */
async function setStock(shop: PetStore, batch: readonly PendingPet[], pets: readonly Pet[]): Promise<void> {
  const wanted = batch.map(({ record }, index) => ({ ...record, petId: pets[index]?.id ?? 0 }))
  const registered = (status: PetRecord['status']) => (status === 'sold' ? 0 : 1)
  const counts = wanted.flatMap(({ petId, stock, status }) =>
    stock === undefined || stock === registered(status) ? [] : [{ petId, quantity: stock }],
  )
  if (counts.length > 0) await shop.store.inventory.setMany(counts)
  // Sold with some in stock is a person's hold, which the stock has just undone.
  for (const { petId, stock = 0, status } of wanted) {
    if (status === 'sold' && stock > 0) await shop.pets.update(petId, { status })
  }
}
