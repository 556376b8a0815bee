import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unreleasedHeading } from './date-changelog.ts'

/** Why this version cannot be released from this directory now; empty if it can. */
export async function reasonsNotToRelease(
  root: string,
  version: string,
  { isDryRun }: { isDryRun: boolean },
): Promise<string[]> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return ['Give the version as three numbers, such as 1.2.3.']
  const git = (...words: string[]) =>
    Bun.spawnSync(['git', ...words], { cwd: root })
      .stdout.toString()
      .trim()
  const reasons: string[] = []
  if (!isDryRun && git('status', '--porcelain') !== '') reasons.push('The working tree has changes: commit them first.')
  const branch = git('branch', '--show-current')
  if (!isDryRun && branch !== 'main') reasons.push(`The branch is ${branch || 'none'}: switch to main.`)
  const released = git('tag', '--list', 'v*').split('\n').filter(Boolean)
  const newest = released
    .map((tag) => tag.slice(1))
    .toSorted(compareVersions)
    .at(-1)
  if (newest !== undefined && compareVersions(version, newest) <= 0) reasons.push(`${newest} is already released.`)
  const heading = unreleasedHeading(version)
  if (!readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`${heading}\n`)) {
    reasons.push(`CHANGELOG.md has no line "${heading}".`)
  }
  return reasons
}

const compareVersions = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true })
