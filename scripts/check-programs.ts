// The checks that are programs of their own.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../server/test/harness/run/test-run.ts'
import { part } from './check-tally.ts'

type Check = () => Promise<void>

const check =
  (name: string, program: string[]): Check =>
  () =>
    part(name, (program[0] === 'npm' ? program : ['npx', ...program]).join(' '), async () => {
      const { exitCode, output } = await runProgram(program)
      return exitCode === 0 ? '' : output || `It ended with ${exitCode}.`
    })

const projects = ['.', 'server', 'sdk', 'cli', 'console', 'examples'].filter((project) =>
  existsSync(join(project, 'tsconfig.json')),
)

/** In the order in which they start. */
export const quickChecks: readonly Check[] = [
  ...projects.map((project) => check(project === '.' ? 'types' : `types of ${project}`, ['tsc', '-p', project])),
  check('format and lint', ['biome', 'check', '--error-on-warnings', '.']),
  check('description lints clean (Redocly)', ['redocly', 'lint', '--max-problems', '20', 'openapi.json']),
  check('description is up to date, without breaking changes since the last release', [
    ...['bun', 'scripts/check-description.ts'],
  ]),
]

const sdkTypes = check('SDK types match the description (if not: npm run openapi)', [
  ...['npm', 'run', '--silent', 'types', '--workspace', 'sdk', '--', '--check'],
])
const clients = check('generated clients compile and work', ['npm', 'run', '--silent', 'clients'])

export const wholeChecks: readonly Check[] = [
  // One after the other: both install the generators if they are missing.
  () => sdkTypes().then(clients),
  ...quickChecks,
  check('description lints clean (Spectral)', ['spectral', 'lint', '--fail-severity', 'hint', 'openapi.json']),
]
