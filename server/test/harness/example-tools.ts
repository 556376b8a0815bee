import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The environment of an example: that of a reader, with a replacement for jq in `directory` if it is not installed. */
export function exampleEnvironment(directory: string, variables: Record<string, string>): Record<string, string> {
  const path = process.env.PATH ?? ''
  if (Bun.which('jq')) return { ...variables, PATH: path }
  const file = join(directory, 'jq')
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${new URL('jq.ts', import.meta.url).pathname}" "$@"\n`)
  chmodSync(file, 0o755)
  return { ...variables, PATH: `${directory}:${path}` }
}
