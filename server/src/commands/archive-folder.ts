import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createOwnFile, ownerOnly } from '../platform/db/sqlite-file.ts'
import { lockForServing, ServedAlready } from '../platform/db/sqlite-lock.ts'
import { type ArchivedOrder, areSame, countRowsOf, highestIdsOf, type RowCounts } from '../shop/orders/archive.ts'
import { putInPlace } from './database-files.ts'

/** A line of the index: a file of the archive, and what is in it. */
export interface ArchiveFile {
  readonly file: string
  /** Of the compressed file, as `sha256sum` computes it. */
  readonly sha256: string
  /** The last change of its orders was made before this time. */
  readonly before: number
  readonly orderIds: { readonly first: number; readonly last: number }
  readonly rows: RowCounts
  readonly highestIds: RowCounts
}

/** A folder of archived orders. Only one process at a time may have it open. */
export interface ArchiveFolder extends Disposable {
  /** The files in the index, in the order they were written. */
  files(): readonly ArchiveFile[]
  /** Writes a file, reads it back, and adds it to the index. All of it is on the disk when this returns. */
  write(orders: readonly ArchivedOrder[], before: number): ArchiveFile
  /** Throws if the file is not what was written. */
  read(file: ArchiveFile): ArchivedOrder[]
}

const indexName = 'index.ndjson'

export function openArchiveFolder(path: string): ArchiveFolder {
  const lock = lockFolder(path)
  const index = join(path, indexName)
  try {
    const files = readIndex(index)
    return {
      files: () => files,
      write(orders, before) {
        const name = `${String(files.length + 1).padStart(6, '0')}.ndjson.gz`
        const packed = gzipSync(orders.map((order) => `${JSON.stringify(order)}\n`).join(''))
        writeDurably(join(path, `${name}.part`), 'w', packed)
        putInPlace(join(path, `${name}.part`), join(path, name))
        const file: ArchiveFile = {
          file: name,
          sha256: checksumOf(packed),
          before,
          orderIds: { first: orders[0]?.id ?? 0, last: orders.at(-1)?.id ?? 0 },
          rows: countRowsOf(orders),
          highestIds: highestIdsOf(orders),
        }
        if (!areSame(readOrders(path, file), orders)) throw damaged(path, name)
        writeDurably(index, 'a', Buffer.from(`${JSON.stringify(file)}\n`))
        files.push(file)
        return file
      },
      read: (file) => readOrders(path, file),
      [Symbol.dispose]: lock.release,
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function lockFolder(path: string) {
  mkdirSync(path, { recursive: true, mode: ownerOnly.directory })
  try {
    return lockForServing(join(path, '.archive'))
  } catch (error) {
    if (!(error instanceof ServedAlready)) throw error
    throw new Error(`The folder ${path} is in use by ${error.holder}. Wait until that has ended.`)
  }
}

/**
 * An interrupted write leaves a line without a line break: its file is written again. A new index reaches the disk with the first file,
 * which is put into the same folder.
 */
function readIndex(index: string): ArchiveFile[] {
  createOwnFile(index)
  const text = readFileSync(index, 'utf8')
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  if (complete.length < text.length) truncateSync(index, Buffer.byteLength(complete))
  return complete
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

function readOrders(path: string, { file, sha256, rows }: ArchiveFile): ArchivedOrder[] {
  const packed = readFileSync(join(path, file))
  if (checksumOf(packed) !== sha256) throw damaged(path, file)
  const lines = gunzipSync(packed).toString().split('\n').slice(0, -1)
  const orders: ArchivedOrder[] = lines.map((line) => JSON.parse(line))
  if (JSON.stringify(countRowsOf(orders)) !== JSON.stringify(rows)) throw damaged(path, file)
  return orders
}

const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const damaged = (path: string, file: string) =>
  new Error(`The file ${join(path, file)} is damaged: it differs from what was written. Check the disk.`)

function writeDurably(path: string, flags: 'w' | 'a', bytes: Uint8Array): void {
  const descriptor = openSync(path, flags, ownerOnly.file)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
