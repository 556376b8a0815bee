import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../platform/keys/secret.ts'
import { randomBase62, seededRandom, type Taken } from '../platform/lib/random.ts'
import type { AttemptCounts } from './attempts.ts'
import type { ClockState } from './clock.ts'
import type { FaultRule } from './fault-rules.ts'
import type { RecordedDelivery } from './recorded.ts'
import { replaceFile } from './replace-file.ts'

export type SandboxData = 'sample' | 'empty'

/** Everything about a sandbox that is not in its database. Times are the host's. */
export interface SandboxRecord {
  readonly id: string
  /** A name for people. */
  readonly name?: string
  readonly seed: string
  readonly data: SandboxData
  /** Additional names of secrets, besides those that are always removed from recorded requests. */
  readonly redact?: readonly string[]
  readonly createdAt: number
  /** A new one after each reset: a report covers what came after it. */
  readonly reportId?: string
  readonly expiresAt: number
  readonly clock: ClockState
  readonly faults: readonly FaultRule[]
  /** How often each call was sent since the rules were set. */
  readonly faultAttempts?: AttemptCounts | undefined
  /** The latest forged deliveries, newest first. Their ids are negative. */
  readonly forged: readonly RecordedDelivery[]
  /** The id of the last one, which may still be on its way. */
  readonly lastForgedId?: number
  /** The position in the sequence of its seed. After a crash, another sequence is used, so that no secret is given out twice. */
  readonly random: { readonly sequence: number; readonly taken: Taken; readonly isInUse: boolean }
  /** When a webhook attempt is due while the sandbox is closed. */
  readonly wakeAt?: number | undefined
  /** The hash of its first key, to recognize that the host's key has changed. */
  readonly keyHash?: string
  /** Whether it is the one that the host announces when it starts. */
  readonly isAnnounced?: boolean
}

/** The folders of sandboxes, one each. */
export interface SandboxFolders {
  readonly folderOf: (id: string) => string
  list(): SandboxRecord[]
  /** Replaces the record in one step, so that a crash leaves the old one or the new one. */
  save(record: SandboxRecord): void
  /** Creates the folder of a sandbox, or replaces it in one step. `fill` puts in everything but the record. */
  replace(record: SandboxRecord, fill: (folder: string) => Promise<void>): Promise<void>
  remove(id: string): void
}

export const recordFile = 'sandbox.json'
/** What a folder's name ends with while it is filled. */
const unfinished = '.new'
const ownerOnly = { recursive: true, mode: 0o700 }

export function openFolders(directory: string): SandboxFolders {
  mkdirSync(directory, ownerOnly)
  const folderOf = (id: string) => join(directory, id)
  const removeFolder = (folder: string) => {
    // First, so that a crash leaves no sandbox without its other files.
    rmSync(join(folder, recordFile), { force: true })
    rmSync(folder, { recursive: true, force: true })
  }
  const hasRecord = (folder: string) => existsSync(join(folder, recordFile))
  const saveIn = (folder: string, record: SandboxRecord) =>
    replaceFile(join(folder, recordFile), JSON.stringify(record))
  /** Puts a filled folder in its place. */
  const finish = (id: string) => {
    removeFolder(folderOf(id))
    renameSync(folderOf(id + unfinished), folderOf(id))
  }
  /** Completes what a crash interrupted. The record is written last, so a folder without one is of no use. */
  const tidy = () => {
    for (const name of readdirSync(directory)) {
      if (!hasRecord(folderOf(name))) removeFolder(folderOf(name))
      else if (name.endsWith(unfinished)) finish(name.slice(0, -unfinished.length))
    }
  }
  return {
    folderOf,
    list() {
      tidy()
      return readdirSync(directory).map((id) => JSON.parse(readFileSync(join(folderOf(id), recordFile), 'utf8')))
    },
    save: (record) => saveIn(folderOf(record.id), record),
    async replace(record, fill) {
      const folder = folderOf(record.id + unfinished)
      removeFolder(folder)
      mkdirSync(folder, ownerOnly)
      await fill(folder)
      saveIn(folder, record)
      finish(record.id)
    },
    remove(id) {
      removeFolder(folderOf(id))
      removeFolder(folderOf(id + unfinished))
    },
  }
}

/** The seed of everything secret. It includes the key of the host, so that no one else can compute the secrets of a guessed seed. */
export const secretSeed = (seed: string, hostKey: string | undefined): string =>
  createHash('sha256')
    .update(`${hostKey ?? ''}\n${seed}`)
    .digest('base64url')

/** The admin key of a sandbox. The same seed gives the same key. */
export const apiKeyOf = ({ seed }: Pick<SandboxRecord, 'seed'>, hostKey: string | undefined): string =>
  newSecret(seededRandom(`${secretSeed(seed, hostKey)} key`))

const seedLength = 22
const idLength = 8

export interface NewSandbox {
  readonly name?: string | undefined
  readonly seed?: string | undefined
  readonly data?: SandboxData | undefined
  readonly redact?: readonly string[] | undefined
  readonly lifetimeSeconds: number
  readonly clock?: ClockState | undefined
  readonly isAnnounced?: boolean
}

/** A new sandbox. */
export const newRecord = (
  id: string,
  { name, seed, data, redact, lifetimeSeconds, clock, isAnnounced }: NewSandbox,
  now: number,
): SandboxRecord => ({
  id,
  ...(name !== undefined && { name }),
  seed: seed ?? randomBase62(seedLength),
  data: data ?? 'sample',
  ...(redact && { redact }),
  createdAt: now,
  reportId: randomBase62(idLength),
  expiresAt: now + lifetimeSeconds * 1000,
  clock: clock ?? { offsetMs: 0 },
  faults: [],
  forged: [],
  random: { sequence: 0, taken: { bytes: 0, uuids: 0 }, isInUse: false },
  ...(isAnnounced && { isAnnounced }),
})
