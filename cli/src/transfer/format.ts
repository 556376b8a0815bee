import { extname } from 'node:path'
import { csv, type FileFormat, ndjson } from '@petstore/sdk/pet-files'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

const formats: Readonly<Record<string, FileFormat>> = { ndjson, csv }
export const formatNames = Object.keys(formats)

/** The format given with --format, or that of the file's extension; NDJSON otherwise. */
export function chooseFormat(file: string, given: string | undefined): { name: string; format: FileFormat } {
  const name = given ?? (extname(file).toLowerCase() === '.csv' ? 'csv' : 'ndjson')
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (!format) throw new Failure(`--format must be one of ${formatNames.join(', ')}.`, exitCodes.misused)
  return { name, format }
}
