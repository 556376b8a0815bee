// Builds one executable of service, pages and command line: npm run compile [-- <file>]. It needs nothing else where it runs.
import { join } from 'node:path'
import { textsInPlace } from './texts-in-place.ts'

const root = join(import.meta.dir, '..')
const outfile = process.argv[2] ?? join(root, 'dist/petstore')
const { success, logs } = await Bun.build({
  entrypoints: [join(root, 'cli/src/petstore.ts')],
  compile: { outfile },
  plugins: [textsInPlace],
})
process.stdout.write(success ? `Wrote ${outfile}\n` : `${logs.join('\n')}\n`)
process.exit(success ? 0 : 1)
