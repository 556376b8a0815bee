import { newIdempotencyKey } from '../idempotency-key.ts'
import type { PetStore } from '../petstore.ts'
import { loadCategories } from './categories-by-name.ts'
import { type FileLine, PetFileError, type Rejection } from './file-format.ts'
import { type CategoryRecord, isCategory, type PetRecord, readRecord } from './record.ts'
import { costOf, isRejected, type PendingPet, registerBatch } from './register-batch.ts'

export interface ImportCounts {
  readonly pets: number
  readonly categories: number
  readonly rejected: number
}

export interface ImportStart {
  readonly afterLine: number
  /** What an interrupted import has done so far. */
  readonly counts: ImportCounts
  /** The import was interrupted here, so the next batch may be registered already. */
  readonly isInterrupted: boolean
  /** How many pets its batches have, unless `batchSizeFor` is to decide. */
  readonly batchSize?: number | undefined
  /** How many the interrupted batch had: it must be the same again. */
  readonly firstBatchSize?: number | undefined
}

export interface ImportOptions {
  readonly lines: AsyncIterable<FileLine>
  /** Only check the file and count. */
  readonly dryRun?: boolean
  /** Whether missing categories are created; otherwise the lines that name them are rejected. True unless given. */
  readonly canCreateCategories?: boolean
  /** Whether to set the stock, which needs the scope `inventory:write`. True unless given. */
  readonly canSetStock?: boolean
  /** Whether `cats` may name an existing category `Cats`. False unless given: an export must come back exactly. */
  readonly ignoreCase?: boolean
  /** Prefix of all idempotency keys: the same file imported again under the same prefix is registered once. */
  readonly idempotency?: string
  /** Where to start; the first line unless given. */
  readonly start?: ImportStart
  /** How many requests were sent so far. If given, a batch that the service remembers from an earlier import is an error. */
  readonly requestsSent?: () => number
  readonly signal?: AbortSignal
  readonly onRejected: (rejection: Rejection) => void
  /** Called after each batch; everything up to this line is done. */
  readonly onProgress?: (line: number, bytes: number, counts: ImportCounts) => void
}

export interface ImportResult extends ImportCounts {
  /** The names of the categories that were created, or would be in a dry run. */
  readonly newCategories: readonly string[]
  /** How many requests it costs, or would in a dry run, if the service rejects nothing. */
  readonly requests: number
}

/** The service has stored responses for this file, so an earlier import registered it. */
export class ImportedBeforeError extends PetFileError {
  override readonly name = 'ImportedBeforeError'
}

const batchMax = 100

const firstLine: ImportStart = {
  afterLine: 0,
  counts: { pets: 0, categories: 0, rejected: 0 },
  isInterrupted: false,
}

/** How many pets go into a batch. It costs one request per pet, so several must fit into a minute, alongside other requests. */
export const batchSizeOf = (perMinute: number): number => Math.max(1, Math.min(batchMax, Math.floor(perMinute / 6)))

export const batchSizeFor = (shop: PetStore): number => batchSizeOf(shop.limits.last?.minute?.limit ?? batchMax * 6)

/** Imports a file in batches. Keeps one batch in memory. */
export async function importRecords(shop: PetStore, options: ImportOptions): Promise<ImportResult> {
  const { lines, dryRun = false, canSetStock = true, requestsSent, signal, onRejected, onProgress } = options
  const { idempotency = newIdempotencyKey(), canCreateCategories = true, ignoreCase = false } = options
  const { afterLine, counts: before, isInterrupted } = options.start ?? firstLine
  const categories = await loadCategories(shop, {
    dryRun,
    canCreate: canCreateCategories,
    idempotency,
    signal,
  })
  const { batchSize: laterSize = batchSizeFor(shop), firstBatchSize } = options.start ?? {}
  let batchSize = firstBatchSize ?? laterSize
  let { pets, rejected } = before
  let requests = categories.requests
  let mayBeReplayed = isInterrupted
  let batch: PendingPet[] = []
  let rejections: Rejection[] = []

  const counts = (): ImportCounts => ({ pets, categories: before.categories + categories.created.length, rejected })

  /** The id of the category of a record, which may be created, or why there is none. */
  async function findCategory(record: CategoryRecord | PetRecord, line: number): Promise<number | string> {
    const ref = isCategory(record)
      ? { ...record, line }
      : { name: record.category, number: record.categoryNumber, id: record.categoryId, ignoreCase, line }
    const { name } = ref
    if (name === undefined) return categories.get(ref.id) ?? `categoryId: there is no category ${ref.id}`
    try {
      return (await categories.find({ ...ref, name })) ?? `category: there is no category "${name}"`
    } catch (error) {
      if (!isRejected(error)) throw error
      return error.errors.map(({ path = '', message }) => `category${path.replaceAll('/', ' ')}: ${message}`).join('; ')
    }
  }

  async function register() {
    const sentBefore = requestsSent?.()
    return registerBatch(shop, batch, {
      canSetStock,
      idempotency: `${idempotency}-${batch[0]?.line}`,
      signal,
      onReplay(rounds) {
        // Expected for the batch that was interrupted, and for one that was sent twice because no response came.
        if (sentBefore === undefined || mayBeReplayed || requestsSent?.() !== sentBefore + rounds) return
        throw new ImportedBeforeError('This file was imported before.')
      },
    })
  }

  async function endBatch(line: number, bytes: number): Promise<void> {
    signal?.throwIfAborted()
    const registered = dryRun ? { pets: batch.length, rejections: [] } : await register()
    requests += costOf(batch, canSetStock)
    mayBeReplayed = false
    pets += registered.pets
    rejected += rejections.length + registered.rejections.length
    for (const rejection of [...rejections, ...registered.rejections].sort((a, b) => a.line - b.line))
      onRejected(rejection)
    batch = []
    rejections = []
    batchSize = laterSize
    onProgress?.(line, bytes, counts())
  }

  let last = { line: afterLine, bytes: 0 }
  for await (const { line, bytes, text, value, fault } of lines) {
    if (line <= afterLine) continue
    last = { line, bytes }
    const record = fault ?? readRecord(value)
    if (typeof record === 'string') rejections.push({ line, message: record, text })
    else {
      const categoryId = await findCategory(record, line)
      if (typeof categoryId === 'string') rejections.push({ line, message: categoryId, text })
      else if (!isCategory(record)) batch.push({ line, text, record, categoryId })
    }
    if (batch.length === batchSize || rejections.length === batchSize) await endBatch(line, bytes)
  }
  if (batch.length > 0 || rejections.length > 0) await endBatch(last.line, last.bytes)
  return { ...counts(), newCategories: categories.created, requests: requests + categories.created.length }
}
