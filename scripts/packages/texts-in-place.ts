import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'

const textImport = /^import (\w+) from '([^']+)' with \{ type: 'text' \}$/gm

/** For the bundler, which takes a file as text or as code, not both. Some page scripts are both: served, and run on the server. */
export const textsInPlace: BunPlugin = {
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
