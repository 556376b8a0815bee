import type { CategoryRecord, PetRecord } from './record.ts'

/** One line of a file: its value, or what is wrong with it. */
export interface FileLine {
  /** Line number from 1; for a row over several lines, its first. */
  readonly line: number
  /** Bytes from the start of the file to the end of this line. */
  readonly bytes: number
  /** The line as it is in the file; undefined if it is too long or not UTF-8. */
  readonly text?: string | undefined
  readonly value?: unknown
  readonly fault?: string
}

/** A line that was not imported. */
export interface Rejection {
  readonly line: number
  readonly message: string
  /** The line as it is in the file, if it could be read. */
  readonly text?: string | undefined
}

/** What each column of a file holds, in their order: the name of a field, or undefined to leave it out. */
export type ColumnFields = readonly (string | undefined)[]

/** The start of a file. */
export interface Preview {
  /** The names of the columns; none if each line names its own fields. */
  readonly columns: readonly string[]
  /** The cells of the first rows. */
  readonly rows: readonly (readonly string[])[]
  /** The line that names the columns, as it is in the file. */
  readonly head: string
}

/** `portable` means the same in every shop; `with-ids` adds the ids of pets and categories. */
export type Columns = 'portable' | 'with-ids'

export interface FileFormat {
  /** Text before the first record. */
  head(columns: Columns): string
  /** The record as text; empty if the format cannot express it. */
  write(record: CategoryRecord | PetRecord, columns: Columns): string
  /** Streams, so a file may be of any size. */
  read(
    chunks: AsyncIterable<Uint8Array>,
    options?: { readonly columns?: ColumnFields | undefined },
  ): AsyncGenerator<FileLine, void, undefined>
  /** Reads only the start of a file. */
  preview(chunks: AsyncIterable<Uint8Array>): Promise<Preview>
  /** Rejected lines as a file, each with its fault, to be corrected and imported again. */
  writeRejected(rejections: readonly Rejection[], head: string): string
}

/** The file as a whole cannot be read. */
export class PetFileError extends Error {
  override readonly name: string = 'PetFileError'
}
