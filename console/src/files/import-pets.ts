import {
  type ColumnFields,
  csv,
  type FileFormat,
  type ImportOptions,
  type ImportResult,
  importRecords,
  ndjson,
  type Preview,
  type Rejection,
} from '@petstore/sdk/pet-files'
import { hasScope, storeForLongTasks } from '../session.ts'
import { saveFile } from './save-file.ts'

const chunkBytes = 256 * 1024

/** A file that was chosen, and what is at its start. */
export interface PetFile extends Preview {
  readonly file: File
  readonly format: FileFormat
}

/** Reads the start of a file: NDJSON if it begins with an object, CSV otherwise. */
export async function openPets(file: File): Promise<PetFile> {
  const start = await file.slice(0, 1024).text()
  const format = start.trimStart().startsWith('{') ? ndjson : csv
  return { file, format, ...(await format.preview(readChunks(file))) }
}

interface Options extends Omit<ImportOptions, 'lines'> {
  /** What the columns hold. */
  readonly columns: ColumnFields
}

/** Imports a file, or only checks it. A category may be written in any case: people type these files by hand. */
export const importPets = ({ file, format }: PetFile, { columns, ...options }: Options): Promise<ImportResult> =>
  importRecords(storeForLongTasks(), {
    ...options,
    lines: format.read(readChunks(file), { columns }),
    ignoreCase: true,
    canSetStock: hasScope('inventory:write'),
  })

/** Saves the rejected lines with their faults, to be corrected and imported. */
export function saveRejected({ file, format, head }: PetFile, rejections: readonly Rejection[]): void {
  const [, name = 'pets', ending = '.csv'] = /^(.*?)(\.\w+)?$/s.exec(file.name) ?? []
  saveFile(`${name}-rejected${ending}`, 'text/plain', [format.writeRejected(rejections, head)])
}

// Not with file.stream(): Safari cannot iterate over a stream.
async function* readChunks(file: File): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < file.size; at += chunkBytes) {
    yield new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer())
  }
}
