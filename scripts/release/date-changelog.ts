import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const unreleasedHeading = (version: string): string => `## ${version} (unreleased)`

/** Replaces "unreleased" by the date in the changelog's heading of this version. */
export function dateChangelog(root: string, version: string, now: Date): void {
  const file = join(root, 'CHANGELOG.md')
  const dated = `## ${version} (${now.toISOString().slice(0, 10)})`
  writeFileSync(file, readFileSync(file, 'utf8').replace(unreleasedHeading(version), dated))
}
