import {
  csv,
  type FileLine,
  type ImportOptions,
  type ImportResult,
  importRecords,
  ndjson,
} from '@petstore/sdk/pet-files'
import { hasScope, store } from '../session.ts'

const chunkBytes = 256 * 1024

/** Checks a file and counts what it holds, without changing anything. */
export const checkPets = (file: File, options: Pick<ImportOptions, 'onRefused' | 'signal'>): Promise<ImportResult> =>
  importPets(file, { ...options, dryRun: true })

/** Imports a file. A category may be written in any case: people type these files by hand. */
export async function importPets(file: File, options: Omit<ImportOptions, 'lines'>): Promise<ImportResult> {
  const lines = await readFile(file)
  return importRecords(store(), { ...options, lines, ignoreCase: true, canSetStock: hasScope('inventory:write') })
}

/** Reads NDJSON if the file starts with an object, CSV otherwise. */
async function readFile(file: File): Promise<AsyncIterable<FileLine>> {
  const start = await file.slice(0, 1024).text()
  return (start.trimStart().startsWith('{') ? ndjson : csv).read(readChunks(file))
}

// Not by file.stream(): Safari cannot iterate over a stream.
async function* readChunks(file: File): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < file.size; at += chunkBytes) {
    yield new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer())
  }
}
