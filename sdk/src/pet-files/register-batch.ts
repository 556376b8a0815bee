import { PetStoreError } from '../errors.ts'
import type { NewPet, Pet } from '../names.ts'
import type { PetStore } from '../petstore.ts'
import { headersOf } from '../response.ts'
import type { Rejection } from './file-format.ts'
import type { PetRecord } from './record.ts'

/** A pet of a file that is ready to send. */
export interface PendingPet {
  readonly line: number
  /** The line as it is in the file. */
  readonly text: string | undefined
  readonly record: PetRecord
  readonly categoryId: number
}

interface Options {
  readonly canSetStock: boolean
  /** Prefix of the idempotency keys. */
  readonly idempotency: string
  readonly signal: AbortSignal | undefined
  /** Called if the service repeats a stored response, before any stock is set, with the number of rounds so far. May throw to stop. */
  readonly onReplay: (rounds: number) => void
}

interface Registered {
  readonly pets: number
  readonly rejections: readonly Rejection[]
}

/** Registers up to 100 pets with stock and status. A batch is all or nothing, so rejected pets are removed and the rest is sent again. */
export async function registerBatch(
  shop: PetStore,
  batch: readonly PendingPet[],
  { canSetStock, idempotency, signal, onReplay }: Options,
): Promise<Registered> {
  const rejections: Rejection[] = []
  let remaining = batch
  // Each round removes at least one pet, so this ends. Each round has another body and so another key.
  for (let round = 0; remaining.length > 0; round++) {
    const result = await register(shop, remaining, { idempotencyKey: `${idempotency}-${round}`, signal })
    if (!(result instanceof Map)) {
      const isReplay = headersOf(result)?.get('idempotent-replayed') === 'true'
      if (isReplay) onReplay(round + 1)
      if (canSetStock) await setStock(shop, remaining, result, { isReplay, signal })
      return { pets: result.length, rejections }
    }
    for (const [index, message] of result) {
      const { line = 0, text } = remaining[index] ?? {}
      rejections.push({ line, message, text })
    }
    remaining = remaining.filter((_, index) => !result.has(index))
  }
  return { pets: 0, rejections }
}

/** The registered pets, or the faults by index. */
async function register(
  shop: PetStore,
  batch: readonly PendingPet[],
  options: { idempotencyKey: string; signal: AbortSignal | undefined },
): Promise<readonly Pet[] | Map<number, string>> {
  try {
    return await shop.pets.batch(batch.map(toNewPet), options)
  } catch (error) {
    const faults = readFaults(error)
    if (faults.size === 0) throw error
    return faults
  }
}

const toNewPet = ({ record: { name, status }, categoryId }: PendingPet): NewPet => ({
  name,
  categoryId,
  ...(status !== undefined && { status }),
})

/** Whether the service named what is wrong with the data, so that the rest can go on without it. */
export const isRejected = (error: unknown): error is PetStoreError =>
  error instanceof PetStoreError && (error.status === 400 || error.status === 422) && error.errors.length > 0

/** The faults of a rejected batch by index: their paths look like `/3/name`. */
function readFaults(error: unknown): Map<number, string> {
  const faults = new Map<number, string>()
  if (!isRejected(error)) return faults
  for (const { path = '', message } of error.errors) {
    const [, digits, field] = /^\/(\d+)(?:\/(.*))?$/.exec(path) ?? []
    if (digits === undefined) continue
    const before = faults.get(Number(digits))
    faults.set(Number(digits), `${before ? `${before}; ` : ''}${field ? `${field}: ` : ''}${message}`)
  }
  return faults
}

/** The stock of a new pet. */
const firstStock = ({ status }: PetRecord): number => (status === 'sold' ? 0 : 1)

const hasOtherStock = (record: PetRecord): boolean => record.stock !== undefined && record.stock !== firstStock(record)

/** Sold with stock left is a status set by hand, which setting the stock clears. */
const isHeldAsSold = ({ stock = 0, status }: PetRecord): boolean => status === 'sold' && stock > 0

/** How many requests a batch costs: one for each pet, each stock and each status that is set. */
export function costOf(batch: readonly PendingPet[], canSetStock: boolean): number {
  const records = canSetStock ? batch.map(({ record }) => record) : []
  return batch.length + records.filter(hasOtherStock).length + records.filter(isHeldAsSold).length
}

/**
 * Sets the stock and status that the file gives. Of pets from an earlier try, only where the stock is still that of a new pet: others may
 * have been sold since. The status follows if that try set the stock, but not the status.
 */
async function setStock(
  shop: PetStore,
  batch: readonly PendingPet[],
  pets: readonly Pet[],
  { isReplay, signal }: { isReplay: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const wanted = batch.map(({ record }, index) => ({ ...record, petId: pets[index]?.id ?? 0 }))
  const others = wanted.filter(hasOtherStock)
  const stock = isReplay ? await readStock(shop, others, signal) : undefined
  const counts = others
    .filter((record) => stock === undefined || stock.get(record.petId) === firstStock(record))
    .map(({ petId, stock = 0 }) => ({ petId, quantity: stock }))
  if (counts.length > 0) await shop.store.inventory.setMany(counts, { signal })
  const isAsInFile = (record: (typeof wanted)[number]) =>
    stock === undefined || stock.get(record.petId) === firstStock(record) || stock.get(record.petId) === record.stock
  for (const { petId, status } of wanted.filter(isHeldAsSold).filter(isAsInFile)) {
    if (status) await shop.pets.update(petId, { status }, { signal })
  }
}

async function readStock(
  shop: PetStore,
  pets: readonly { readonly petId: number }[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number>> {
  if (pets.length === 0) return new Map()
  const ids = pets.map(({ petId }) => petId)
  const profiles = await shop.pets.profiles({ ids, limit: ids.length }, { signal }).toArray()
  return new Map(profiles.map(({ id, stock }) => [id, stock]))
}
