import { randomUUID } from 'node:crypto'
import { Failure } from '../failure.ts'
import type { Counts } from './import-records.ts'
import type { ProgressFile } from './progress-file.ts'

/** What an import that was cut short needs to go on. */
export interface Progress {
  readonly url: string
  readonly digest: string
  /** Tells this import from an earlier one of the same file. */
  readonly run: string
  /** The last line that is done. */
  readonly line: number
  readonly counts: Counts
  readonly savedAt: number
}

/** The service remembers a request for 24 hours; an hour less is certain. */
const rememberedMs = 23 * 60 * 60 * 1000

interface Wish {
  readonly again?: boolean
  readonly fromLine?: number
}

interface Begun {
  readonly run: string
  readonly line: number
  readonly counts: Counts
  readonly isResumed: boolean
}

/** Where an import begins: where one that was cut short ended, when it is certain what came in, or at the beginning. */
export function begin(
  kept: ProgressFile<Progress> | undefined,
  { again, fromLine }: Wish,
  { url, digest, now }: { url: string; digest: string; now: number },
): Begun {
  const fresh = { line: (fromLine ?? 1) - 1, counts: { pets: 0, categories: 0, refused: 0 }, isResumed: false }
  // A run of its own, so that the service does not take it for a repeat of the one before.
  if (again || fromLine !== undefined) return { ...fresh, run: randomUUID().slice(0, 8) }
  const found = kept?.read()
  if (!found) return { ...fresh, run: 'first' }
  const { run, line, counts, savedAt } = found
  if (found.url !== url) throw new Failure(`This import was begun at ${found.url}. Go on there, or use --again here.`)
  if (found.digest !== digest) {
    throw new Failure(
      `The file has changed since its import began; it is done up to line ${line}. Put it back, or say where to begin: --from-line ${line + 1}`,
    )
  }
  if (now - savedAt > rememberedMs) {
    throw new Failure(
      `This import was interrupted more than 23 hours ago, so the service has forgotten whether the lines after ${line} came in. See whether the pets of line ${line + 1} and those after it are there, 100 at most, and say where to begin: --from-line <line>`,
    )
  }
  return { run, line, counts, isResumed: true }
}
