import { readdirSync, readFileSync } from 'node:fs'
import { breaksOf } from './description-breaks.ts'
import type { OpenapiDocument } from './openapi-document.ts'

const folder = 'docs/releases'

export const releaseFile = (version: string): string => `${folder}/openapi-${version}.json`

/** The newest of these versions with the same major version as the given one. */
export function newestOf(versions: readonly string[], version: string): string | undefined {
  const [major] = version.split('.')
  return versions
    .filter((candidate) => candidate.split('.')[0] === major)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
}

/** The breaking changes since the last release, one per line; empty if there are none. */
export function breaksSinceRelease(description: string): string {
  const current = JSON.parse(description) as OpenapiDocument
  const recorded = readdirSync(folder).flatMap((file) => /^openapi-(\d+\.\d+\.\d+)\.json$/.exec(file)?.[1] ?? [])
  const version = newestOf(recorded, current.info.version)
  if (version === undefined) return ''
  const released = JSON.parse(readFileSync(releaseFile(version), 'utf8')) as OpenapiDocument
  const breaks = breaksOf(released, current, new Date().toISOString().slice(0, 10))
  return breaks.length === 0
    ? ''
    : `This breaks clients of ${version}:\n${breaks.map((text) => `  ${text}`).join('\n')}`
}
