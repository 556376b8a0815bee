// Every check there is. `npm test` runs this and nothing else; the last line sums up everything that ran.
// With --torture: only the tests of crashes, failures and random sequences, much longer.
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.ts'
import { currentDescription } from './description.ts'
import { startPostgres } from './embedded-postgres.ts'
import { breaksSinceRelease } from './released-description.ts'

/** Where code and tests are: every npm workspace that is there. */
const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] }
const roots = workspaces.filter((folder) => existsSync(folder))
const tortureRoots = ['server/test/cluster', 'server/test/model', 'server/test/torture', 'cli/test/torture']

/** The same on both engines, so they are tested on one; the console is on the other. */
const pagesInBrowsers = 'server/test/pages/{accessibility,reference,search}.test.ts'

const scratch = mkdtempSync(join(tmpdir(), 'petstore-check-'))
const torture = process.argv.includes('--torture')
const longer = { TORTURE: '1', MODEL_RUNS: '5000', MODEL_STEPS: '100', CRASH_ROUNDS: '100' }
const contractSeen = join(scratch, 'contract-seen')
// The same random sequences on both engines: both match one model, so both give the same answers.
const modelSeed = process.env.MODEL_SEED ?? String(randomInt(2 ** 31))
let passed = 0
let failed = 0

const say = (text: string) => process.stdout.write(`${text}\n`)

function report(name: string, fault: string): void {
  if (fault === '') passed++
  else failed++
  say(fault === '' ? `ok    ${name}` : `FAIL  ${name}\n${fault}`)
}

async function command(name: string, words: string[]): Promise<void> {
  const { exitCode, output } = await run(words)
  report(name, exitCode === 0 ? '' : output)
}

async function run(words: string[], env: Record<string, string> = {}): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn(words, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, NO_COLOR: '1', ...env },
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, output: stdout + stderr }
}

async function tests(name: string, env: Record<string, string>, options: string[] = []): Promise<void> {
  say(`…     ${name}`)
  const timeoutMs = torture ? 3_600_000 : 120_000
  const where = (torture ? tortureRoots : roots).map((root) => `./${root}`)
  // What a failed test left running ends with the tests.
  const words = ['bun', 'test', '--only-failures', '--no-orphans', '--timeout', String(timeoutMs), ...options, ...where]
  const { exitCode, output } = await run(words, {
    ...env,
    ...(torture && longer),
    CONTRACT_SEEN: contractSeen,
    MODEL_SEED: modelSeed,
  })
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0)
  passed += count('pass')
  failed += count('fail')
  if (exitCode !== 0) {
    if (count('fail') === 0) failed++
    say(output)
  }
  say(`${exitCode === 0 ? 'ok   ' : 'FAIL '} ${name}: ${count('pass')} passed, ${count('fail')} failed`)
}

/** On the server named in TEST_DATABASE_URL, or on one of our own that ends with the tests. */
async function testsOnPostgres(): Promise<void> {
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await startPostgres() : undefined
  try {
    await tests('tests on PostgreSQL', { TEST_ENGINE: 'postgres', TEST_DATABASE_URL: given ?? server?.url ?? '' })
  } finally {
    await server?.remove()
  }
}

function descriptionDrift(): string {
  return currentDescription() === readFileSync('openapi.json', 'utf8')
    ? ''
    : 'openapi.json is not what the operations say: run npm run openapi.'
}

/** Every declared (operation, status) pair was exercised by some test. An undeclared one fails the test that saw it. */
function contractCoverage(): string {
  const seen = new Set(readFileSync(contractSeen, 'utf8').split('\n'))
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>
  }
  const missing = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`))
    .filter((pair) => !seen.has(pair))
  return missing.length === 0
    ? ''
    : `Declared, but never exercised by a test:\n${missing.map((pair) => `  ${pair}`).join('\n')}`
}

/** The tests read the path from the environment, so that only one of them would have to install it. */
function chromiumFault(): string {
  const path = findChromium()
  if (path === undefined) return 'Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH.'
  process.env.CHROMIUM_PATH = path
  return ''
}

async function everythingElse(): Promise<void> {
  await command('format and lint', ['biome', 'check', '--error-on-warnings', '.'])
  for (const project of ['.', ...roots].filter((root) => existsSync(join(root, 'tsconfig.json')))) {
    await command(project === '.' ? 'types' : `types of ${project}`, ['tsc', '-p', project])
  }
  report('description is up to date', descriptionDrift())
  const sdkTypes = ['npm', 'run', '--silent', 'types', '--workspace', 'sdk', '--', '--check']
  await command('types of the SDK are what the description says (else: npm run openapi)', sdkTypes)
  await command('description lints clean (Redocly)', ['redocly', 'lint', '--max-problems', '20', 'openapi.json'])
  await command('description lints clean (Spectral)', ['spectral', 'lint', '--fail-severity', 'hint', 'openapi.json'])
  await command('breaks of the description are found', ['bun', 'test', '--only-failures', './scripts'])
  report('description breaks nothing of the last release', breaksSinceRelease(readFileSync('openapi.json', 'utf8')))
  await command('generated clients compile and work', ['npm', 'run', '--silent', 'clients'])
  report('Chromium is there for the pages', chromiumFault())
}

try {
  if (!torture) await everythingElse()
  say(`      model seed ${modelSeed}`)
  await Promise.all([
    tests('tests on SQLite', { TEST_ENGINE: 'sqlite' }, ['--path-ignore-patterns', pagesInBrowsers]),
    testsOnPostgres(),
  ])
  if (!torture) report('every declared answer was seen', contractCoverage())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
say(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
