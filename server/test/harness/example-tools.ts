import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The environment of an example: as a reader's, with a jq in `directory` where the machine has none. */
export function exampleEnvironment(directory: string, variables: Record<string, string>): Record<string, string> {
  const path = process.env.PATH ?? ''
  if (Bun.which('jq')) return { ...variables, PATH: path }
  const file = join(directory, 'jq')
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${new URL('jq.ts', import.meta.url).pathname}" "$@"\n`)
  chmodSync(file, 0o755)
  return { ...variables, PATH: `${directory}:${path}` }
}
