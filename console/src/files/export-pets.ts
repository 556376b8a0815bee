import { csv, type ExportOptions, exportPages, ndjson } from '@petstore/sdk/pet-files'
import { storeForLongTasks } from '../session.ts'
import { saveFile } from './save-file.ts'

const formats = { csv, ndjson }
const contentTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' }
export type FormatName = keyof typeof formats

interface Options extends Required<Pick<ExportOptions, 'filters'>> {
  readonly onProgress: (pets: number) => void
  readonly signal: AbortSignal
}

/** Reads the filtered pets page by page and saves them as a file. */
export async function exportPets(name: FormatName, { filters, onProgress, signal }: Options): Promise<void> {
  const parts: string[] = []
  let count = 0
  const options = { format: formats[name], columns: 'with-ids', filters, signal } as const
  for await (const { text, pets } of exportPages(storeForLongTasks(), options)) {
    if (signal.aborted) return
    parts.push(text)
    count += pets
    onProgress(count)
  }
  saveFile(`pets.${name}`, contentTypes[name], parts)
}
