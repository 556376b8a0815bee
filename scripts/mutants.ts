// Makes believable bugs in the sources, one at a time, and finds out which of them the tests notice. Goes on where it stopped.
// With words: only mutants whose path contains one of them. With an id: that one, again; with `id@test`, tests whose path contains
// `test` come first.
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findChromium } from '../server/test/harness/run/chromium.ts'
import { createRunDirectory } from '../server/test/harness/run/run-directory.ts'
import { preparePostgres } from '../server/test/harness/run/test-postgres.ts'
import { findTestFiles } from '../server/test/harness/run/test-selection.ts'
import { makeSqliteTemplate } from '../server/test/harness/run/test-templates.ts'
import { chooseRuns, type Run, timeOf } from './mutants/choose.ts'
import { recordCoverage } from './mutants/coverage.ts'
import type { Mutant } from './mutants/mutant.ts'
import { describeMutant, printReport, type Tried } from './mutants/report.ts'
import { openResults } from './mutants/results.ts'
import { takeSample } from './mutants/sample.ts'
import { copyTree, type Tree } from './mutants/tree.ts'
import { type Environments, tryMutant } from './mutants/try.ts'
import { openCompiler } from './mutants/types.ts'

const option = (name: string, otherwise: number): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise)
const seed = option('seed', 20261117)
const size = option('size', 400)
const atOnce = option('at-once', 2)
/** Test time for one mutant. */
const budgetMs = option('budget', 60) * 1_000
/** Recording what an expensive test reaches costs more than it saves. The console has few others. */
const recordedMaxMs = (file: string) => (file.startsWith('console/') ? 60_000 : 10_000)
const words = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'))
  .map((word) => word.split('@') as [word: string, first?: string])

const say = (text: string) => process.stdout.write(`${text}\n`)
const scratch = createRunDirectory()
let stop = (): never => process.exit(1)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop())
const chromium = findChromium()
if (chromium !== undefined) process.env.CHROMIUM_PATH = chromium

const kept = resolve('dist/mutants')
mkdirSync(kept, { recursive: true })
// The first copy stays as it is: the working tree may change meanwhile.
const [original, ...trees] = await Promise.all(
  Array.from({ length: 1 + atOnce }, (_, index) => copyTree(join(scratch, `tree-${index}`))),
)
process.chdir((original as Tree).path)
const noBug = JSON.parse(readFileSync(join(import.meta.dir, 'mutants/no-bug.json'), 'utf8')) as Record<string, string>
const results = openResults(join(kept, 'results.jsonl'), noBug)

say(`seed ${seed}, ${size} mutants, ${budgetMs / 1_000} s of tests for each, ${atOnce} at once`)
const compiler = await openCompiler(process.cwd())
const sample = await takeSample(compiler, seed, size)
await compiler.close()

const tests = findTestFiles().filter((file) => !file.startsWith('scripts/'))
const template = await makeSqliteTemplate(scratch)
const onSqlite = { TEST_ENGINE: 'sqlite', TEST_SQLITE_TEMPLATE: template }
const recorded = tests
  .filter((file) => timeOf(file, 'sqlite') < recordedMaxMs(file) && !file.includes('/pages/'))
  .toSorted((one, other) => timeOf(one, 'sqlite') - timeOf(other, 'sqlite'))
const coverage = await recordCoverage(recorded, trees[0] as Tree, onSqlite, join(kept, 'coverage.json'))

/** Started for the first mutant that needs it. */
let postgres: Promise<Readonly<Record<string, string>>> | undefined
const environments: Environments = {
  sqlite: async () => onSqlite,
  postgres: () => {
    postgres ??= preparePostgres(scratch).then(async ({ start }) => (await start()).env)
    return postgres
  },
}

const isWanted = ({ id, file }: Mutant) =>
  words.length === 0 || words.some(([word]) => file.includes(word) || id === word)
// In random order, so that an unfinished run is a sample too.
const wanted = sample.filter(isWanted).toSorted((one, other) => one.id.localeCompare(other.id))
const tried: Tried[] = []
const waiting: { mutant: Mutant; runs: Run[] }[] = []
for (const mutant of wanted) {
  const named = words.find(([word]) => word === mutant.id)
  const runs = chooseRuns(mutant, tests, coverage, budgetMs, named?.[1])
  const result = named ? undefined : results.find(mutant, runs)
  if (result) tried.push({ mutant, result })
  else waiting.push({ mutant, runs })
}
// Those that are no bug use the whole budget, and are not expected to be noticed.
waiting.sort((one, other) => Number(one.mutant.id in noBug) - Number(other.mutant.id in noBug))
say(`${tried.length} of ${wanted.length} are known`)

function end(): never {
  say(printReport(tried, wanted.length, noBug))
  process.exit(0)
}
stop = end

await Promise.all(
  trees.map(async (tree) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { mutant, runs } = next
      const result = results.add(mutant, runs, await tryMutant(mutant, runs, tree, environments))
      tried.push({ mutant, result })
      say(`${result.verdict.padEnd(8)} ${describeMutant(mutant)}  ${result.by ?? ''}`)
    }
  }),
)
end()
