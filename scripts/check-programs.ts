// The checks that run as separate programs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../server/test/harness/run/test-run.ts'
import { clientsRoot } from '../server/test/harness/run/test-selection.ts'
import { part } from './check-tally.ts'

type Check = () => Promise<void>

const check =
  (name: string, program: string[]): Check =>
  () =>
    part(name, `npx ${program.join(' ')}`, async () => {
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
  check('description lints clean', ['redocly', 'lint', '--max-problems', '20', 'openapi.json']),
  check('description is up to date, without breaking changes since the last release', [
    ...['bun', 'scripts/openapi.ts', '--check'],
  ]),
]

const generators = check('generators of clients are installed', ['bun', `${clientsRoot}/install.ts`])
const sdkTypes = check('SDK types match the description (if not: npm run openapi)', [
  ...['bun', 'sdk/generate.ts', '--check'],
])
const clientTests = check('generated clients work, and those of others get the expected verdicts', [
  ...['bun', 'test', '--timeout', '120000', `./${clientsRoot}`],
])
/** One after the other: the first installs what the others need. */
export const clients: Check = () => generators().then(sdkTypes).then(clientTests)

export const wholeChecks: readonly Check[] = [clients, ...quickChecks]
