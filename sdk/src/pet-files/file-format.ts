import type { CategoryRecord, PetRecord } from './record.ts'

/** One line of a file: its value, or what is wrong with it. */
export interface FileLine {
  /** Line number from 1; for a row over several lines, its first. */
  readonly line: number
  /** Bytes from the start of the file to the end of this line. */
  readonly bytes: number
  readonly value?: unknown
  readonly fault?: string
}

/** `portable` means the same in every shop; `with-ids` adds the ids of pets and categories. */
export type Columns = 'portable' | 'with-ids'

export interface FileFormat {
  /** Text before the first record. */
  head(columns: Columns): string
  /** The record as text; empty if the format cannot express it. */
  write(record: CategoryRecord | PetRecord, columns: Columns): string
  /** Streams, so a file may be of any size. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine, void, undefined>
}

/** The file as a whole cannot be read. */
export class PetFileError extends Error {
  override readonly name: string = 'PetFileError'
}
