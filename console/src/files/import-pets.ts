import { type NewPet, PetStoreError } from '@petstore/sdk'
import { store } from '../session.ts'
import type { PetLine, RefusedLine } from './read-pets.ts'

const batchMax = 100

export interface ImportState {
  readonly done: number
  readonly refused: readonly RefusedLine[]
}

interface Task {
  readonly lines: readonly PetLine[]
  readonly told: (state: ImportState) => void
  readonly signal: AbortSignal
}

/** Registers pets in batches, which are all or nothing: the lines at fault are taken out, and the rest is sent again. */
export async function importPets({ lines, told, signal }: Task): Promise<void> {
  const size = batchSize()
  const categories = new Map<string, number | undefined>()
  let done = 0
  let refused: RefusedLine[] = []
  const refuse = (some: readonly RefusedLine[]) => {
    refused = [...refused, ...some]
  }
  for (let start = 0; start < lines.length; start += size) {
    let batch: { line: number; pet: NewPet }[] = []
    for (const { line, pet } of lines.slice(start, start + size)) {
      const named = await withCategory(pet, categories, signal)
      if (named === undefined) refuse([{ line, why: `there is no category called ${String(pet.category)}` }])
      else batch.push({ line, pet: named })
    }
    while (batch.length > 0 && !signal.aborted) {
      const faulty = await send(batch, signal)
      if (faulty.size === 0) {
        done += batch.length
        break
      }
      refuse(batch.flatMap(({ line }, index) => (faulty.has(index) ? [{ line, why: faulty.get(index) ?? '' }] : [])))
      batch = batch.filter((_, index) => !faulty.has(index))
    }
    told({ done, refused })
    if (signal.aborted) return
  }
}

/** A batch costs as many requests as it has pets, so it must fit into the minute with room for others. */
function batchSize(): number {
  const perMinute = store().limits.last?.minute?.limit ?? batchMax * 2
  return Math.max(1, Math.min(batchMax, Math.floor(perMinute / 2)))
}

/** The positions at fault with what is wrong there; none when all were taken. */
async function send(batch: readonly { pet: NewPet }[], signal: AbortSignal): Promise<Map<number, string>> {
  try {
    await store().pets.batch(
      batch.map(({ pet }) => pet),
      { signal },
    )
    return new Map()
  } catch (error) {
    if (!(error instanceof PetStoreError) || error.errors.length === 0) throw error
    const faulty = new Map<number, string>()
    for (const { path, message } of error.errors) {
      const [, position = '', field] = path.split('/')
      const index = Number(position)
      if (position === '' || !Number.isInteger(index)) throw error
      faulty.set(index, [faulty.get(index), `${field ? `${field} ` : ''}${message}`].filter(Boolean).join('; '))
    }
    return faulty
  }
}

/** Looks a category up by its name, once. Undefined when there is none. */
async function withCategory(
  { category, ...pet }: PetLine['pet'],
  known: Map<string, number | undefined>,
  signal: AbortSignal,
): Promise<NewPet | undefined> {
  if (category === undefined || pet.categoryId !== undefined) return pet as NewPet
  const name = String(
    typeof category === 'object' && category !== null && 'name' in category ? category.name : category,
  )
  if (!known.has(name)) {
    const found = await store().categories.list({ q: name, limit: 100 }, { signal }).toArray()
    known.set(name, found.find((one) => one.name.toLowerCase() === name.toLowerCase())?.id)
  }
  const categoryId = known.get(name)
  return categoryId === undefined ? undefined : ({ ...pet, categoryId } as NewPet)
}
