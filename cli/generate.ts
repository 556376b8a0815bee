// Writes what the command line knows of the operations, src/operations.json, their commands, CALLS.md, and the profile of this service for
// `petstore judge`: npm run openapi.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listOperations } from './generate/operations.ts'
import { formatProfile } from './generate/profile.ts'

const here = import.meta.dir
const read = (path: string) => readFileSync(join(here, path), 'utf8')

export const operationsText = () => `${JSON.stringify(listOperations(JSON.parse(read('../openapi.json'))), null, 2)}\n`

export const profileText = () => formatProfile(JSON.parse(read('../openapi.json')))

export async function callsText(): Promise<string> {
  // Loaded when operations.json is up to date.
  const { formatCalls } = await import('./generate/calls.ts')
  return formatCalls()
}

if (import.meta.main) {
  writeFileSync(join(here, 'src/judge/profiles/petstore.yaml'), profileText())
  writeFileSync(join(here, 'src/operations.json'), operationsText())
  writeFileSync(join(here, 'CALLS.md'), await callsText())
}
