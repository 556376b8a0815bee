// Runs every check. `npm test` runs this and nothing else; the last line sums up everything that ran.
// With words: only tests whose path contains one of them, on both engines. With --torture: only the crash, failure and random
// sequence tests, much longer. With --coverage: only tests, and which lines they ran. With --update-times: also writes how long each
// file took.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findChromium } from '../server/test/harness/run/chromium.ts'
import { contractCoverage } from '../server/test/harness/run/contract-coverage.ts'
import { recordStatements } from '../server/test/harness/run/record-statements.ts'
import { createRunDirectory } from '../server/test/harness/run/run-directory.ts'
import { startTestPostgres, type TestPostgres } from '../server/test/harness/run/test-postgres.ts'
import { buildTestPrograms } from '../server/test/harness/run/test-programs.ts'
import { skippedEverywhere } from '../server/test/harness/run/test-report.ts'
import { runProgram, runTests, type TestRun } from '../server/test/harness/run/test-run.ts'
import { findTestFiles, runsOnPostgres } from '../server/test/harness/run/test-selection.ts'
import { makePostgresData, makeSqliteTemplate } from '../server/test/harness/run/test-templates.ts'
import { faultsOnFreshShop } from '../server/test/platform/db/plans.ts'
import { finish, note, part, skip, testsPart } from './check-tally.ts'
import { printCoverage } from './coverage-report.ts'

/** The npm workspaces that exist. */
const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] }
const roots = workspaces.filter((folder) => existsSync(folder))
const tortureRoots = ['server/test/cluster', 'server/test/model', 'server/test/torture', 'cli/test/torture']

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const torture = process.argv.includes('--torture')
const coverage = process.argv.includes('--coverage')
const isWhole = !torture && !coverage && words.length === 0
const longer = { TORTURE: '1', MODEL_RUNS: '1000', MODEL_STEPS: '100', CRASH_ROUNDS: '100', POWER_CUTS: '50' }

const scratch = createRunDirectory()
const contractSeen = join(scratch, 'contract-seen')
const testsMissing = join(scratch, 'tests-missing')
const linesOn = (engine: string) => join(scratch, `lines-${engine}`)
const browserLines = join(scratch, 'lines-browser')
// The same random sequences on both engines: both must match one model.
const modelSeed = process.env.MODEL_SEED ?? String(randomInt(2 ** 31))
const runs: TestRun[] = []

async function tests(
  name: string,
  engine: 'sqlite' | 'postgres',
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const files = findTestFiles(torture ? tortureRoots : roots)
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => engine === 'sqlite' || runsOnPostgres(file))
  await testsPart(`${name} (${files.length} files)`, async () => {
    const run = await runTests({
      engine,
      files,
      scratch,
      timeoutMs: torture ? 3_600_000 : 120_000,
      updateTimes: process.argv.includes('--update-times'),
      coverage: coverage ? linesOn(engine) : undefined,
      env: {
        ...env,
        ...(coverage && { BROWSER_COVERAGE: browserLines }),
        ...(torture && longer),
        CONTRACT_SEEN: contractSeen,
        TESTS_MISSING: testsMissing,
        MODEL_SEED: modelSeed,
      },
    })
    runs.push(run)
    return run
  })
}

async function testsOnPostgres(): Promise<void> {
  let server: TestPostgres
  try {
    server = await startTestPostgres()
  } catch (error) {
    // Tests that need it are skipped on SQLite, and counted there.
    return note(`PostgreSQL cannot run here: ${error}`)
  }
  const { TEST_DATABASE_URL: url = '' } = server.env
  const recorder = await recordStatements(url)
  const data = await makePostgresData(scratch)
  try {
    await tests(`tests on PostgreSQL, ${server.version}`, 'postgres', {
      ...server.env,
      TEST_RECORDER: new URL(recorder.url).host,
      ...data,
    })
    // A few files send too few statements to judge.
    if (isWhole) {
      await part('no statement of the service is planned badly', () => faultsOnFreshShop(url, recorder.recorded()))
    }
  } finally {
    recorder.stop()
    await server.remove()
  }
}

const command = (name: string, program: string[]): Promise<void> =>
  part(name, async () => {
    const { exitCode, output } = await runProgram(program)
    return exitCode === 0 ? '' : output
  })

async function everythingElse(): Promise<void> {
  await command('format and lint', ['biome', 'check', '--error-on-warnings', '.'])
  for (const project of ['.', ...roots, 'examples'].filter((root) => existsSync(join(root, 'tsconfig.json')))) {
    await command(project === '.' ? 'types' : `types of ${project}`, ['tsc', '-p', project])
  }
  const description = ['bun', 'scripts/check-description.ts']
  await command('description is up to date, without breaking changes since the last release', description)
  const sdkTypes = ['npm', 'run', '--silent', 'types', '--workspace', 'sdk', '--', '--check']
  await command('SDK types match the description (if not: npm run openapi)', sdkTypes)
  await command('description lints clean (Redocly)', ['redocly', 'lint', '--max-problems', '20', 'openapi.json'])
  await command('description lints clean (Spectral)', ['spectral', 'lint', '--fail-severity', 'hint', 'openapi.json'])
  await command('tests of the scripts', ['bun', 'test', '--only-failures', './scripts'])
  await command('generated clients compile and work', ['npm', 'run', '--silent', 'clients'])
}

/** Tests that ran on no engine, by file, with what is missing here. */
function countSkips(): void {
  const needs = new Map<string, string>()
  for (const line of existsSync(testsMissing) ? readFileSync(testsMissing, 'utf8').trim().split('\n') : []) {
    const [file = '', what = ''] = line.split('\t')
    needs.set(relative('.', file), what)
  }
  const byFile = Map.groupBy(skippedEverywhere(runs.map(({ cases }) => cases)), ({ file }) => file)
  for (const [file, cases] of byFile) {
    const names = needs.has(file) ? `needs ${needs.get(file)}` : cases.map(({ name }) => name).join('; ')
    skip(`${file}: ${cases.length} (${names})`, cases.length)
  }
}

function printSlowestFiles(): void {
  const times = runs.flatMap(({ fileSeconds }) => fileSeconds)
  const slowest = Map.groupBy(times, ([file]) => file)
    .entries()
    .map(([file, all]) => ({ file, seconds: all.reduce((sum, [, seconds]) => sum + seconds, 0) }))
    .toArray()
    .toSorted((one, other) => other.seconds - one.seconds)
  note('The slowest files, both engines together:')
  for (const { file, seconds } of slowest.slice(0, 10)) note(`${seconds.toFixed(1).padStart(6)} s  ${file}`)
}

/** Prints what a long run did, one line per test. */
function printTortureTests(): void {
  note(
    Object.entries(longer)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  )
  for (const { name, seconds, outcome } of runs.flatMap(({ cases }) => cases)) {
    if (outcome !== 'skipped') note(`${seconds.toFixed(1).padStart(8)} s  ${name}`)
  }
}

// A signal still ends everything that was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

// The tests read the path from the environment, so that only one process installs it.
const chromium = findChromium()
if (chromium !== undefined) process.env.CHROMIUM_PATH = chromium
writeFileSync(contractSeen, '')
if (coverage) mkdirSync(browserLines)
note(`model seed ${modelSeed}`)
const template = await makeSqliteTemplate(scratch)
Object.assign(process.env, await buildTestPrograms(scratch))
await Promise.all([
  tests('tests on SQLite', 'sqlite', { TEST_ENGINE: 'sqlite', TEST_SQLITE_TEMPLATE: template }),
  testsOnPostgres(),
  isWhole && everythingElse(),
])
if (isWhole)
  await part('every declared response, error code and webhook event was seen', () => contractCoverage(contractSeen))
if (coverage) await printCoverage(scratch, ['sqlite', 'postgres'].map(linesOn), browserLines)
else if (torture) printTortureTests()
else printSlowestFiles()
countSkips()
finish()
