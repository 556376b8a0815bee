import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ownerOnly = 0o700
/** A backup, and what an interrupted one leaves behind. The name has the time, so that a copied file keeps its age. */
const nameForm = /^petstore-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db(\.part.*)?$/

interface Entry {
  readonly name: string
  readonly at: number
  readonly isComplete: boolean
}

/** The file for a backup taken at this time. Creates the directory if it is missing. */
export function fileAt(directory: string, now: number): string {
  mkdirSync(directory, { recursive: true, mode: ownerOnly })
  return join(directory, `petstore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`)
}

/** When the newest backup up to this time was taken; undefined if there is none. A later one is from a clock that was wrong. */
export const newestAt = (directory: string, until: number): number | undefined =>
  list(directory)
    .filter(({ isComplete, at }) => isComplete && at <= until)
    .at(-1)?.at

/** Removes backups older than this, but never the newest one until now. Other files stay. Returns the names. */
export function removeOlder(directory: string, than: number, now: number): string[] {
  const newest = newestAt(directory, now) ?? 0
  const old = list(directory).filter(({ at }) => at < than && at < newest)
  for (const { name } of old) rmSync(join(directory, name), { recursive: true, force: true })
  return old.filter(({ isComplete }) => isComplete).map(({ name }) => name)
}

/** Oldest first. */
function list(directory: string): Entry[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return []
  }
  return names.toSorted().flatMap((name) => {
    const [, hour, minute, second, ms, rest] = nameForm.exec(name) ?? []
    const at = Date.parse(`${hour}:${minute}:${second}.${ms}Z`)
    return Number.isNaN(at) ? [] : [{ name, at, isComplete: rest === undefined }]
  })
}
