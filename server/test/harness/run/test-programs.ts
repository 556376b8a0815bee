// The programs that tests start as processes, built once per run: started from its sources, each takes twice the CPU time.
import { basename, join } from 'node:path'
import { textsInPlace } from '../../../../scripts/packages/texts-in-place.ts'

const root = join(import.meta.dir, '../../../..')
const sources = {
  service: 'server/src/main.ts',
  petstore: 'cli/src/petstore.ts',
  leapingNode: 'server/test/harness/leaping-node.ts',
}

/** Builds them in this directory, and returns the environment variable for the tests. */
export async function buildTestPrograms(directory: string): Promise<Record<string, string>> {
  const outdir = join(directory, 'programs')
  await Bun.build({
    entrypoints: Object.values(sources).map((source) => join(root, source)),
    outdir,
    naming: '[name].[ext]',
    target: 'bun',
    bytecode: true,
    plugins: [textsInPlace],
  })
  return { TEST_PROGRAMS: outdir }
}

/** The file to run for a program: built, if this run has built them, else its source. */
export function programFile(name: keyof typeof sources): string {
  const { TEST_PROGRAMS: directory } = process.env
  const source = sources[name]
  return directory === undefined ? join(root, source) : join(directory, `${basename(source, '.ts')}.js`)
}
