import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folders of the packages that are published. */
export const publishedFolders = ['sdk', 'judge', 'server', 'cli']

/** The URL of a repository without a slash or `.git` at its end; undefined if it is not such a URL. */
export function parseRepository(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, pathname, search, hash, origin } = new URL(text)
  const path = pathname.replace(/\/+$/, '').replace(/\.git$/, '')
  const isPlain = protocol === 'https:' && username + password + search + hash === ''
  return isPlain && path !== '' ? origin + path : undefined
}

const goModule = 'clients/go/go.mod'

/** Writes where the sources are into the published packages and the Go module: the sources do not say, because only the releaser knows. */
export function setRepository(root: string, repository: string): void {
  const text = readFileSync(join(root, goModule), 'utf8')
  const module = `module ${repository.replace('https://', '')}/clients/go`
  writeFileSync(join(root, goModule), text.replace(/^module .*$/m, module))
  for (const directory of publishedFolders) {
    const file = join(root, directory, 'package.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    manifest.repository = { type: 'git', url: `git+${repository}.git`, directory }
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  }
}
