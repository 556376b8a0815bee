// Builds one executable of service, pages and command line: npm run compile [-- <file> [<target>]]. It needs nothing else where it
// runs. The target is a platform in Bun's words, such as bun-linux-arm64; this machine's by default.
import { join } from 'node:path'
import { textsInPlace } from './texts-in-place.ts'

const root = join(import.meta.dir, '..')
const outfile = process.argv[2] ?? join(root, 'dist/petstore')
const target = process.argv[3] as Bun.Build.CompileTarget | undefined
const { success, logs } = await Bun.build({
  entrypoints: [join(root, 'cli/src/petstore.ts')],
  compile: { outfile, ...(target && { target }) },
  plugins: [textsInPlace],
})
process.stdout.write(success ? `Wrote ${outfile}\n` : `${logs.join('\n')}\n`)
process.exit(success ? 0 : 1)
