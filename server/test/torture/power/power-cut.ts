import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'

// A disk after a power cut, rebuilt from what record-disk.c recorded.

interface Entry {
  /** Written, truncated, synced or unlinked. */
  readonly kind: 'w' | 't' | 's' | 'u'
  /** Below the recorded directory; empty for the directory itself. */
  readonly path: string
  readonly offset: number
  readonly data: Buffer
  /** The size of the record after this entry. */
  readonly end: number
}

export function readRecord(record: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let start = 0; start < record.length; ) {
    const line = record.indexOf('\n', start)
    const [, kind, offset, length, path] = /^(\w) (\d+) (\d+) (.*)$/.exec(record.toString('utf8', start, line)) ?? []
    const end = line + 1 + Number(length)
    const data = record.subarray(line + 1, end)
    entries.push({ kind: kind as Entry['kind'], path: path as string, offset: Number(offset), data, end })
    start = end
  }
  return entries
}

interface File {
  /** Has what was synced. */
  readonly fd: number
  /** Since the last sync. */
  unsynced: Entry[]
  /** Whether the directory was synced since it was created. */
  isLinked: boolean
}

const sectorBytes = 512

/**
 * Writes the files as they are after these entries and a power cut into an empty directory. A write that was not synced is kept sector by
 * sector if `keep` says so, and so are files created after the last sync of the directory. Deletions are kept: the service deletes no
 * file that it still needs.
 */
export function writeDiskAfter(entries: readonly Entry[], keep: () => boolean, directory: string): void {
  const files = new Map<string, File>()
  for (const entry of entries) {
    const { kind, path } = entry
    if (path === '') for (const file of files.values()) file.isLinked = true
    else if (kind === 'u') unlink(path)
    else if (kind === 's') sync(path)
    else getFile(path).unsynced.push(entry)
  }
  for (const [path, { fd, unsynced, isLinked }] of [...files]) {
    for (const entry of unsynced) for (const part of sectorsOf(entry)) if (keep()) apply(fd, part)
    if (isLinked || keep()) closeSync(fd)
    else unlink(path)
  }

  function getFile(path: string): File {
    const file = files.get(path) ?? { fd: openSync(directory + path, 'w'), unsynced: [], isLinked: false }
    files.set(path, file)
    return file
  }

  function sync(path: string): void {
    const file = getFile(path)
    for (const entry of file.unsynced) apply(file.fd, entry)
    file.unsynced = []
  }

  function unlink(path: string): void {
    closeSync(getFile(path).fd)
    files.delete(path)
    rmSync(directory + path)
  }
}

type Change = Pick<Entry, 'kind' | 'offset' | 'data'>

function apply(fd: number, { kind, offset, data }: Change): void {
  if (kind === 't') ftruncateSync(fd, offset)
  else writeSync(fd, data, 0, data.length, offset)
}

/** A sector is written as a whole or not at all. */
function sectorsOf({ kind, offset, data }: Entry): Change[] {
  if (kind === 't') return [{ kind, offset, data }]
  const sectors: Change[] = []
  for (let start = 0; start < data.length; ) {
    const end = Math.min(data.length, start + sectorBytes - ((offset + start) % sectorBytes))
    sectors.push({ kind, offset: offset + start, data: data.subarray(start, end) })
    start = end
  }
  return sectors
}
