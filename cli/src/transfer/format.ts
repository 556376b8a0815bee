import { extname } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { csv } from './csv.ts'
import { ndjson } from './ndjson.ts'
import type { CategoryRecord, PetRecord } from './record.ts'

/** A line as it was read: the value it holds, or what is wrong with it. */
export interface ReadLine {
  /** Of the file, from 1; the first one of those it takes. */
  readonly line: number
  /** Bytes of the file up to its end. */
  readonly bytes: number
  readonly value?: unknown
  readonly fault?: string
}

export interface Format {
  /** Stands before the first record. */
  readonly head: string
  /** A record as text; none where the format has no place for it. */
  write(record: CategoryRecord | PetRecord): string
  /** Reads as it goes, so a file may be of any size. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadLine, void, undefined>
}

const formats: Readonly<Record<string, Format>> = { ndjson, csv }
export const formatNames = Object.keys(formats)

/** The format that was asked for, or that the file's name says; NDJSON otherwise. */
export function formatOf(file: string, asked: string | undefined): { name: string; format: Format } {
  const name = asked ?? (extname(file).toLowerCase() === '.csv' ? 'csv' : 'ndjson')
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (!format) throw new Failure(`The format must be one of ${formatNames.join(', ')}.`, exitCodes.misused)
  return { name, format }
}
