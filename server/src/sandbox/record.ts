import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../keys/secret.ts'
import { seededRandom, type Taken } from '../lib/random.ts'
import type { ClockState } from './clock.ts'
import type { FaultRule } from './fault-rules.ts'
import type { RecordedDelivery } from './recorded.ts'

export type SandboxData = 'sample' | 'empty'

/** Everything about a sandbox that is not in its database. Times are the host's. */
export interface SandboxRecord {
  readonly id: string
  readonly seed: string
  readonly data: SandboxData
  readonly createdAt: number
  readonly expiresAt: number
  readonly clock: ClockState
  readonly faults: readonly FaultRule[]
  /** What the rules took of their random sequence, so that `rate` goes on where it was. */
  readonly faultsTaken?: Taken
  /** The latest forged deliveries, newest first. Their ids are negative. */
  readonly forged: readonly RecordedDelivery[]
  /** The position in the sequence of its seed. A crash starts another sequence, so that no secret is given twice. */
  readonly random: { readonly sequence: number; readonly taken: Taken; readonly isInUse: boolean }
  /** When a webhook attempt is due while the sandbox is closed. */
  readonly wakeAt?: number | undefined
  /** Whether it is the one that the host announces when it starts. */
  readonly isAnnounced?: boolean
}

/** The folders of sandboxes, one each. */
export interface SandboxFolders {
  readonly folderOf: (id: string) => string
  list(): SandboxRecord[]
  /** Replaces the record in one step, so that a crash leaves the old one or the new one. */
  save(record: SandboxRecord): void
  /** Empties the folder of a sandbox, and creates it if there is none. */
  clear(id: string): void
  remove(id: string): void
}

const fileName = 'sandbox.json'
const ownerOnly = { recursive: true, mode: 0o700 }

export function openFolders(directory: string): SandboxFolders {
  mkdirSync(directory, ownerOnly)
  const folderOf = (id: string) => join(directory, id)
  const remove = (id: string) => rmSync(folderOf(id), { recursive: true, force: true })
  return {
    folderOf,
    list: () =>
      readdirSync(directory).flatMap((id) => {
        const file = join(folderOf(id), fileName)
        if (existsSync(file)) return [JSON.parse(readFileSync(file, 'utf8')) as SandboxRecord]
        // A crash while it was being created left it without a record.
        remove(id)
        return []
      }),
    save(record) {
      const file = join(folderOf(record.id), fileName)
      writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    clear(id) {
      remove(id)
      mkdirSync(folderOf(id), ownerOnly)
    },
    remove,
  }
}

/** The seed of everything secret. With the key of the host, so that no one else can compute the secrets of a guessed seed. */
export const secretSeed = (seed: string, hostKey: string | undefined): string =>
  createHash('sha256')
    .update(`${hostKey ?? ''}\n${seed}`)
    .digest('base64url')

/** The admin key of a sandbox. The same seed gives the same key. */
export const apiKeyOf = ({ seed }: Pick<SandboxRecord, 'seed'>, hostKey: string | undefined): string =>
  newSecret(seededRandom(`${secretSeed(seed, hostKey)} key`))
