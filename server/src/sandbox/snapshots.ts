import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HostError } from './errors.ts'
import { recordFile, type SandboxRecord } from './record.ts'
import { replaceFile } from './replace-file.ts'

const snapshotsMax = 10

export interface Snapshot {
  readonly id: number
  /** By the host's clock. */
  readonly createdAt: string
  /** By the sandbox's clock. */
  readonly at: string
}

interface Stored extends Snapshot {
  readonly record: SandboxRecord
}

/** Saved states of sandboxes. They are kept beside the sandboxes' folders, so that a reset does not remove them. */
export interface Snapshots {
  list(sandboxId: string): Snapshot[]
  /** Throws if the sandbox already has the most that it may have. */
  mustHaveRoom(sandboxId: string): void
  /** Copies the files of a sandbox, which must be closed. */
  create(
    record: SandboxRecord,
    folder: string,
    now: { readonly host: number; readonly sandbox: number },
  ): Promise<Snapshot>
  /** Throws if there is none with this id. */
  read(sandboxId: string, id: string): Stored
  copyTo(folder: string, sandboxId: string, id: string): Promise<void>
  remove(sandboxId: string, id: string): void
  removeAll(sandboxId: string): void
}

/** What describes a snapshot. It is written last, so a folder without it is of no use. */
const fileName = 'snapshot.json'
const ownerOnly = { recursive: true, mode: 0o700 }

/** `ids`: the sandboxes that exist; snapshots of others are removed. */
export function openSnapshots(directory: string, ids: ReadonlySet<string>): Snapshots {
  mkdirSync(directory, ownerOnly)
  const folderOf = (...names: string[]) => join(directory, ...names)
  const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })
  const isFinished = (sandboxId: string, name: string) => existsSync(folderOf(sandboxId, name, fileName))
  const namesOf = (sandboxId: string): string[] =>
    existsSync(folderOf(sandboxId)) ? readdirSync(folderOf(sandboxId)) : []
  for (const sandboxId of readdirSync(directory)) {
    if (!ids.has(sandboxId)) removeFolder(folderOf(sandboxId))
    for (const name of namesOf(sandboxId)) if (!isFinished(sandboxId, name)) removeFolder(folderOf(sandboxId, name))
  }

  function read(sandboxId: string, id: string): Stored {
    if (!/^\d+$/.test(id) || !isFinished(sandboxId, id)) throw snapshotNotFound()
    return JSON.parse(readFileSync(folderOf(sandboxId, id, fileName), 'utf8')) as Stored
  }

  const list = (sandboxId: string): Stored[] =>
    namesOf(sandboxId)
      .filter((name) => isFinished(sandboxId, name))
      .map((name) => read(sandboxId, name))
      .sort((one, other) => one.id - other.id)

  return {
    list: (sandboxId) => list(sandboxId).map(show),
    mustHaveRoom(sandboxId) {
      if (list(sandboxId).length < snapshotsMax) return
      const message = `This sandbox has ${snapshotsMax} snapshots, which is the maximum. Delete one first.`
      throw new HostError(409, 'snapshot_limit_reached', message)
    },
    async create(record, folder, now) {
      const id = (list(record.id).at(-1)?.id ?? 0) + 1
      const [createdAt, at] = [now.host, now.sandbox].map((time) => new Date(time).toISOString()) as [string, string]
      const stored: Stored = { id, createdAt, at, record }
      const target = folderOf(record.id, String(id))
      removeFolder(target)
      mkdirSync(target, ownerOnly)
      await copyFiles(folder, target)
      replaceFile(join(target, fileName), JSON.stringify(stored))
      return show(stored)
    },
    read,
    copyTo: (folder, sandboxId, id) => copyFiles(folderOf(sandboxId, id), folder),
    remove(sandboxId, id) {
      read(sandboxId, id)
      rmSync(folderOf(sandboxId, id, fileName))
      removeFolder(folderOf(sandboxId, id))
    },
    removeAll: (sandboxId) => removeFolder(folderOf(sandboxId)),
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  // The record is written last, so that a crash leaves no half of a sandbox.
  const names = readdirSync(from).filter((name) => name !== fileName && name !== recordFile)
  await Promise.all(names.map((name) => copyFile(join(from, name), join(to, name))))
}

const show = ({ id, createdAt, at }: Stored): Snapshot => ({ id, createdAt, at })

const snapshotNotFound = (): HostError =>
  new HostError(404, 'snapshot_not_found', 'This sandbox has no snapshot with this id.')
