import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAll, repository } from './repository-files.ts'

const folders = ['bench', 'cli', 'clients', 'deploy', 'docs', 'examples', 'sdk', 'server/src/shop/guides']

/** Every Markdown document of the repository by its path. The changelog is left out: it names what existed then. */
export const documents: ReadonlyMap<string, string> = new Map([
  ...folders.flatMap((folder) =>
    [...readAll(join(repository, folder), /\.md$/)].map(([file, text]) => [`${folder}/${file}`, text] as const),
  ),
  ...['server/README.md', ...readdirSync(repository)]
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .map((file) => [file, readFileSync(join(repository, file), 'utf8')] as const),
])
