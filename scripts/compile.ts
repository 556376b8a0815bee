// Builds one executable of service, pages and command line: npm run compile [-- <file>]. It needs nothing else where it runs.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'

const root = join(import.meta.dir, '..')
const textImport = /^import (\w+) from '([^']+)' with \{ type: 'text' \}$/gm

// The bundler takes a file as text or as code, not both, but some page scripts are both: served, and run here.
const textsInPlace: BunPlugin = {
  name: 'texts in place',
  setup(build) {
    build.onLoad({ filter: /\/server\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replace(textImport, (_, name, file) => {
        return `const ${name} = ${JSON.stringify(readFileSync(join(dirname(path), file), 'utf8'))}`
      }),
    }))
  },
}

const outfile = process.argv[2] ?? join(root, 'dist/petstore')
const { success, logs } = await Bun.build({
  entrypoints: [join(root, 'cli/src/petstore.ts')],
  compile: { outfile },
  plugins: [textsInPlace],
})
process.stdout.write(success ? `Wrote ${outfile}\n` : `${logs.join('\n')}\n`)
process.exit(success ? 0 : 1)
