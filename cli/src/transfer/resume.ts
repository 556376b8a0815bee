import { randomUUID } from 'node:crypto'
import type { ImportCounts, ImportStart } from '@petstore/sdk/pet-files'
import { Failure } from '../failure.ts'
import type { ProgressFile } from './progress-file.ts'

/** The state of an interrupted import. */
export interface Progress {
  readonly url: string
  /** The service recognizes repeated lines separately for each key. */
  readonly keyId: number
  readonly digest: string
  /** Distinguishes this import from earlier ones of the same file. */
  readonly run: string
  /** The last line that is done. */
  readonly line: number
  readonly counts: ImportCounts
  /** The limits of the key may have changed since. */
  readonly batchSize?: number | undefined
  readonly savedAt: number
}

/** The service keeps responses for 24 hours; one hour less is safe. */
const replayableMs = 23 * 60 * 60 * 1000

interface Options {
  readonly again?: boolean
  readonly fromLine?: number
}

interface Given extends Pick<Progress, 'url' | 'keyId' | 'digest' | 'batchSize'> {
  readonly now: number
}

interface Start extends ImportStart {
  readonly run: string
}

/** Where to start: where an interrupted import stopped, if that is certain, or at the beginning. */
export function chooseStart(
  progress: ProgressFile<Progress> | undefined,
  { again, fromLine }: Options,
  { url, keyId, digest, now, batchSize }: Given,
): Start {
  const fresh = {
    afterLine: (fromLine ?? 1) - 1,
    counts: { pets: 0, categories: 0, rejected: 0 },
    isInterrupted: false,
    batchSize,
  }
  // A new run id, so that the service does not take this for a repeat of the earlier import.
  if (again || fromLine !== undefined) return { ...fresh, run: randomUUID().slice(0, 8) }
  const found = progress?.read()
  if (!found) return { ...fresh, run: 'first' }
  const { run, line, counts, savedAt } = found
  if (found.url !== url) {
    throw new Failure(`This import was started at ${found.url}. Continue it there, or use --again here.`)
  }
  if (found.digest !== digest) {
    throw new Failure(
      `The file has changed since its import started; it is done up to line ${line}. Restore the file, or continue with --from-line ${line + 1}`,
    )
  }
  const check = `Check whether the pets of line ${line + 1} and up to 99 lines after it exist, then continue with --from-line <line>`
  if (found.keyId !== keyId) {
    throw new Failure(
      `This import was started with key ${found.keyId}, and this is key ${keyId}: the service cannot tell whether the lines after ${line} were imported. Use key ${found.keyId} again. Or: ${check}`,
    )
  }
  if (now - savedAt > replayableMs) {
    throw new Failure(
      `This import was interrupted more than 23 hours ago, so the service can no longer tell whether the lines after ${line} were imported. ${check}`,
    )
  }
  return { run, afterLine: line, counts, isInterrupted: true, batchSize, firstBatchSize: found.batchSize }
}
