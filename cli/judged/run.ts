// Runs every client through every scenario, and writes docs/judged.md with what they did. With names, it runs these and writes nothing.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientsRoot } from '../../server/test/harness/run/test-selection.ts'
import { readProfile } from '../src/judge/profile-file.ts'
import { type Client, type Scenario, type Setting, settingsOf } from './client.ts'
import { clients, folder, nodeVersion } from './clients.ts'
import { findSurprise, verdictOf } from './expectation.ts'
import { joinArchives } from './join-archives.ts'
import { judgeClient, type Run } from './judge-client.ts'
import { observe } from './observe.ts'
import { differs, stateFacts } from './state-facts.ts'
import { fileOf, type Row, writePage } from './write-page.ts'

const root = join(folder, '../..')
const runsOfEach = 5
/** They mostly wait. More at once would make each other's waits longer. */
const atOnce = 3

const say = (text: string) => process.stdout.write(`${text}\n`)
const surprises: object[] = []

/** All runs of a client with one of its settings. */
interface Judged {
  readonly row: Row
  /** The recording of the first runs. */
  readonly archive: string
}

async function judgeSetting(client: Client, setting: Setting): Promise<Judged> {
  const { rules } = readProfile(client.profile)
  const results: (readonly [Scenario, readonly Run[]])[] = []
  for (const scenario of client.scenarios) {
    const runs: Run[] = []
    while (runs.length < runsOfEach) runs.push(await judgeClient(client, setting, scenario))
    results.push([scenario, runs])
    surprises.push(
      ...runs.map((run) => findSurprise(client, setting, scenario, run)).filter((each) => each !== undefined),
    )
  }
  const cells = results.map(([scenario, runs]) => {
    const observations = runs.map((run) => observe(run, scenario, rules))
    const verdicts = new Set(runs.map((run) => verdictOf(run, scenario)))
    const [verdict = ''] = verdicts
    return [
      scenario,
      { facts: stateFacts(scenario, observations), verdict: verdicts.size === 1 ? verdict.replace('_', ' ') : differs },
    ]
  })
  const row: Row = { client, setting, cells: Object.fromEntries(cells) }
  say(`${client.name}, ${setting}: ${cells.map(([, cell]) => JSON.stringify(cell)).join(' ')}`)
  return { row, archive: joinArchives(new Map(results.map(([scenario, [run]]) => [scenario, run as Run]))) }
}

/** Runs tasks in their order, some at once, and returns their results in that order. */
async function runAll<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  const left = tasks.entries()
  const work = async () => {
    for (const [index, task] of left) results[index] = await task()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

const install = Bun.spawnSync([process.execPath, join(root, clientsRoot, 'install.ts'), folder], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
if (install.exitCode !== 0) process.exit(1)
const names = process.argv.slice(2)
const wanted = clients
  .filter(({ name }) => names.length === 0 || names.includes(name))
  .toSorted((a, b) => a.name.localeCompare(b.name))
const missing = wanted.filter((client) => client.missing() !== undefined)
for (const client of missing) say(`${client.name} is not run: ${client.missing()} is missing.`)
const tasks = wanted
  .filter((client) => !missing.includes(client))
  .flatMap((client) => settingsOf(client).map((setting) => () => judgeSetting(client, setting)))
const judged = await runAll(tasks)
if (names.length === 0) {
  const recordings = join(root, 'docs/judged')
  rmSync(recordings, { recursive: true, force: true })
  mkdirSync(recordings, { recursive: true })
  for (const { row, archive } of judged) writeFileSync(join(recordings, fileOf(row)), archive)
  const rows = judged.map(({ row }) => row)
  const page = writePage({ rows, runs: runsOfEach, nodeVersion, missing: missing.map(({ name }) => name) })
  writeFileSync(join(root, 'docs/judged.md'), page)
}
for (const surprise of surprises) say(`Not as expected: ${JSON.stringify(surprise, null, 2)}`)
if (surprises.length > 0) process.exitCode = 1
