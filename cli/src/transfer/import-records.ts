import type { PetStore } from '@petstore/sdk'
import { Failure } from '../failure.ts'
import { categoriesByName } from './categories-by-name.ts'
import type { ReadLine } from './format.ts'
import { isCategory, readRecord } from './record.ts'
import { type PendingPet, type Refusal, registerBatch } from './register-batch.ts'

export interface Counts {
  readonly pets: number
  readonly categories: number
  readonly refused: number
}

interface Importing {
  readonly shop: PetStore
  /** How many requests were sent so far. */
  readonly sent: () => number
  readonly lines: AsyncIterable<ReadLine>
  /** The last line that is done already. */
  readonly after: number
  readonly counts: Counts
  readonly isResumed: boolean
  /** Begins every idempotency key, so that a batch that is sent again is registered once. */
  readonly idempotency: string
  readonly dryRun: boolean
  readonly refused: (refusal: Refusal) => void
  /** Told after each batch, when everything up to the line is done. */
  readonly done: (line: number, bytes: number, counts: Counts) => void
}

const batchMax = 100

/** The service remembers the very batch, so an earlier run has registered it. */
export class ImportedBefore extends Failure {
  constructor() {
    super(
      'This file was imported before, within the last day and with this key; nothing was added. To import it once more: --again. To begin after what is there: --from-line <line>',
    )
  }
}

/** Reads to the end, sending a batch whenever it is full; never holds more than one. */
export async function importRecords(importing: Importing): Promise<Counts> {
  const { shop, sent, lines, after, dryRun, idempotency, refused, done } = importing
  const categories = await categoriesByName(shop, { dryRun, idempotency })
  let { pets, refused: refusedCount } = importing.counts
  let mayBeRepeated = importing.isResumed
  let batch: PendingPet[] = []
  let heldBack: Refusal[] = []

  const counts = (): Counts => ({
    pets,
    categories: importing.counts.categories + categories.made(),
    refused: refusedCount,
  })

  async function register() {
    const sentBefore = sent()
    return registerBatch({
      shop,
      batch,
      idempotency: `${idempotency}-${batch[0]?.line}`,
      replayed() {
        // The batch that was under way when the import was interrupted, or one that was sent twice for want of an answer.
        if (!mayBeRepeated && sent() - sentBefore === 1) throw new ImportedBefore()
      },
    })
  }

  async function send(line: number, bytes: number): Promise<void> {
    const { pets: registered, refusals } = dryRun ? { pets: batch.length, refusals: [] } : await register()
    mayBeRepeated = false
    pets += registered
    for (const refusal of [...heldBack, ...refusals].sort((a, b) => a.line - b.line)) {
      refusedCount++
      refused(refusal)
    }
    batch = []
    heldBack = []
    done(line, bytes, counts())
  }

  let last = { line: after, bytes: 0 }
  for await (const { line, bytes, value, fault } of lines) {
    if (line <= after) continue
    last = { line, bytes }
    const record = fault ?? readRecord(value)
    if (typeof record === 'string') heldBack.push({ line, message: record })
    else if (isCategory(record)) await categories.idOf(record)
    else {
      const { category: name = '', categoryNumber: number } = record
      const categoryId = record.categoryId ?? (await categories.idOf({ name, number }))
      batch.push({ line, record, categoryId })
    }
    if (batch.length === batchMax || heldBack.length === batchMax) await send(line, bytes)
  }
  if (batch.length > 0 || heldBack.length > 0) await send(last.line, last.bytes)
  return counts()
}
