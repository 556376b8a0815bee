// Builds one executable of service, pages and command line: npm run compile [-- <file> [<platform>]]. It needs nothing else where it
// runs. scripts/packages/executable.ts lists the platforms.
import { join } from 'node:path'
import { buildExecutable } from './packages/executable.ts'

const [file = join(import.meta.dir, '../dist/petstore'), platform] = process.argv.slice(2)
try {
  await buildExecutable(file, platform)
  process.stdout.write(`Wrote ${file}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
