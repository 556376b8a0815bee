// Runs the checks. `npm test` runs the quick part; with --all, as in `npm run test:all`, everything. The last lines sum up what ran.
// With words: only tests whose path contains one of them, in both parts; with -t only those of them whose name matches; the word
// `clients` also runs the generated clients. With --torture: only the crash, failure and random sequence tests, much longer. With
// --coverage: only tests, and which lines they ran.
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findChromium } from '../server/test/harness/run/chromium.ts'
import { contractCoverage } from '../server/test/harness/run/contract-coverage.ts'
import { createRunDirectory } from '../server/test/harness/run/run-directory.ts'
import { preparePostgres } from '../server/test/harness/run/test-postgres.ts'
import { buildTestPrograms } from '../server/test/harness/run/test-programs.ts'
import { findTests, isInTorture, isNamedBy } from '../server/test/harness/run/test-selection.ts'
import { makeSqliteTemplate } from '../server/test/harness/run/test-templates.ts'
import { type Batch, createWorkers, inBatches, type Worker } from '../server/test/harness/run/test-workers.ts'
import { faultsOnFreshShop } from '../server/test/platform/db/plans.ts'
import { createFileRunner } from './check-files.ts'
import { clients, quickChecks, wholeChecks } from './check-programs.ts'
import { commandFor, countSkips, findBeyondBudget, printMostExpensive, printSums, printTests } from './check-results.ts'
import { addFault, finish, note, part } from './check-tally.ts'
import { printCoverage } from './coverage.ts'

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    torture: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    name: { type: 'string', short: 't' },
  },
})
const { torture, coverage } = options
const isSelected = torture || words.length > 0
const isWhole = options.all && !isSelected && !coverage
const isQuick = !options.all && !isSelected
const checks = isWhole ? wholeChecks : isQuick && !coverage ? quickChecks : words.includes('clients') ? [clients] : []

const all = findTests()
const chosen = all
  .filter(({ file }) => !torture || isInTorture(file))
  .filter(
    ({ file }) => words.length === 0 || (torture ? words.some((word) => file.includes(word)) : isNamedBy(words, file)),
  )
  .filter(({ part }) => !isQuick || part === 'quick')
if (chosen.length + checks.length === 0) {
  process.stderr.write(`No test file has a path that contains ${words.join(' or ')}.\n`)
  process.exit(1)
}
// In the whole check, each file has a separate process unless it is tiny, so that its processor time is known.
const batches = inBatches(chosen, isWhole || torture ? 1 : 8)

const scratch = createRunDirectory()
const contractSeen = join(scratch, 'contract-seen')
const testsMissing = join(scratch, 'tests-missing')
const browserLines = join(scratch, 'lines-browser')
const longer = { TORTURE: '1', MODEL_RUNS: '1000', MODEL_STEPS: '100', CRASH_ROUNDS: '100', POWER_CUTS: '50' }
const sharedEnv = {
  ...(coverage && { BROWSER_COVERAGE: browserLines }),
  ...(options.all && { TEST_WHOLE: '1' }),
  ...(torture && longer),
  CONTRACT_SEEN: contractSeen,
  TESTS_MISSING: testsMissing,
  // The same random sequences on both engines: both must match one model.
  MODEL_SEED: process.env.MODEL_SEED ?? String(randomInt(2 ** 31)),
}
const lcovDirectories: string[] = []
const withoutPostgres: string[] = []
const again = `npm ${options.all ? 'run test:all' : 'test'}${torture ? ' -- --torture' : ''}`

const { runs, ...files } = createFileRunner({
  scratch,
  env: sharedEnv,
  timeoutMs: torture ? 3_600_000 : 120_000,
  nothingLeft: !isQuick,
  pattern: options.name,
  command: again,
  databaseFor: async ({ engine }, worker) => (engine === 'postgres' ? await worker.postgres() : sqlite),
  coverage() {
    if (!coverage) return undefined
    const directory = join(scratch, `lines-${lcovDirectories.length}`)
    lcovDirectories.push(directory)
    return directory
  },
})

let batchesDone = 0
async function runBatch(batch: Batch, worker: Worker): Promise<void> {
  if (batch.engine === 'postgres' && (await postgresFault) !== undefined) withoutPostgres.push(...batch.files)
  else {
    await programs
    await files.run(batch, worker)
  }
  const tenth = (count: number) => Math.floor((10 * count) / batches.length)
  if (tenth(++batchesDone) > tenth(batchesDone - 1)) note(`${tenth(batchesDone)}0 % of the test files`)
}

// A signal still ends everything that was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

// The tests read the path from the environment, so that only one process installs it.
const chromium = findChromium()
if (chromium !== undefined) process.env.CHROMIUM_PATH = chromium
writeFileSync(contractSeen, '')
if (coverage) mkdirSync(browserLines)
note(`model seed ${sharedEnv.MODEL_SEED}`)

const sqlite = {
  env: { TEST_ENGINE: 'sqlite', TEST_SQLITE_TEMPLATE: await makeSqliteTemplate(scratch) },
  processorSeconds: () => 0,
}
const programs = buildTestPrograms(scratch).then((env) => Object.assign(process.env, env))
const postgres = chosen.some(({ engine }) => engine === 'postgres') ? preparePostgres(scratch) : undefined
const postgresFault = postgres?.then(
  ({ version }) => note(`PostgreSQL: ${version}`),
  (error) => `PostgreSQL cannot run here: ${error}`,
)
const workers = createWorkers(async () => (await (postgres ?? preparePostgres(scratch))).start(), isWhole)
const tests = batches.map((batch) => async (worker: Worker) => {
  const name = batch.files.join(' ')
  await runBatch(batch, worker).catch((error) =>
    addFault({ name, error: String(error), command: commandFor(again, name) }),
  )
})
await workers.run([...checks, ...tests])
await workers.run([(worker) => files.runFailed(worker, isSelected ? 0 : 3)])
const whyNoPostgres = await postgresFault
if (whyNoPostgres !== undefined) note(whyNoPostgres)

if (isWhole) {
  await part('every declared response, header, error code and webhook event was seen', again, () =>
    contractCoverage(contractSeen),
  )
  const seen = new Set(readFileSync(contractSeen, 'utf8').trim().split('\n'))
  note(`${seen.size} kinds of response and event were seen`)
  if (whyNoPostgres === undefined)
    await workers.run([
      (worker) =>
        part('no statement of the service is planned badly', again, async () =>
          faultsOnFreshShop((await worker.postgres()).url, workers.recorded()),
        ),
    ])
  await part('no file takes a multiple of its budget of processor time', again, () => findBeyondBudget(runs))
  printMostExpensive(runs)
}
await workers.stop()
await postgres?.then(
  ({ remove }) => remove(),
  () => undefined,
)
if (coverage) await printCoverage(scratch, lcovDirectories, browserLines)
if (torture) {
  note(
    Object.entries(longer)
      .map((pair) => pair.join('='))
      .join(' '),
  )
  printTests(runs)
}
if (options.name === undefined) countSkips(runs, testsMissing, { all, chosen, withoutPostgres })
else if (runs.every(({ cases }) => cases.every(({ outcome }) => outcome === 'skipped')))
  addFault({ name: 'no test has such a name', error: options.name, command: 'npm test -- <path>' })
printSums(runs)
finish()
