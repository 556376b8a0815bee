// Makes a release: npm run release -- [<version>] --url <URL of the repository> [--dry-run] [--platform <platform>]
// The version is that of package.json unless given. With --dry-run, everything happens in a copy of the last commit, except
// npm run test:all, and only the built files remain. With --platform, executables are built for these platforms only.
// docs/releasing.md says what a person does afterwards.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parsePlatform, platforms } from './packages/executable.ts'
import { runIn } from './packages/run.ts'
import {
  buildExecutables,
  packTarballs,
  writeChecksums,
  writeImageContext,
  writeNotes,
  writeSbom,
} from './release/build.ts'
import { copyOfLastCommit } from './release/copy.ts'
import { dateChangelog } from './release/date-changelog.ts'
import { reasonsNotToRelease } from './release/reasons.ts'
import { parseRepository, setRepository } from './release/set-repository.ts'
import { setVersion } from './release/set-version.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

/** Returns what `read` returns, or ends with the message of what it throws. */
function orFail<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    return fail((error as Error).message)
  }
}

const repository = resolve(import.meta.dir, '..')
const { values, positionals } = orFail(() =>
  parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: '' },
      'dry-run': { type: 'boolean', default: false },
      platform: { type: 'string', multiple: true, default: [] },
    },
  }),
)
const isDryRun = values['dry-run']
const chosen = orFail(() => values.platform.map(parsePlatform))
const url = parseRepository(values.url)
if (url === undefined)
  fail('Give the URL of the repository: npm run release -- --url https://git.example.com/you/petstore')
const current: string = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version
const [version = current] = positionals
const reasons = await reasonsNotToRelease(repository, version, { isDryRun })
if (reasons.length > 0) fail(`${version} cannot be released:\n${reasons.map((text) => `  ${text}`).join('\n')}`)

using copy = isDryRun ? await copyOfLastCommit(repository) : undefined
const root = copy?.path ?? repository
const run = runIn(root)
const output = join(repository, 'dist', version)
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })

const tag = (name: string) => run(['git', 'tag', '--annotate', name, '--message', `Release ${version}`])

/** Every step of a release. A step may return a text to print. */
const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'every check passes',
    async () => (isDryRun ? 'not run: npm run test:all' : run(['npm', 'run', 'test:all'], { CI: 'true' })),
  ],
  ['the version is set everywhere', async () => setVersion(root, version)],
  ['the packages name the repository', async () => setRepository(root, url)],
  ['the changelog is dated', async () => dateChangelog(root, version, new Date())],
  ['the OpenAPI document is written and recorded', () => run(['bun', 'scripts/openapi.ts', '--release'])],
  ['the packages are packed', () => packTarballs(root, output)],
  ['executables are built', () => buildExecutables(root, output, chosen.length > 0 ? chosen : platforms)],
  ['the image can be built', async () => writeImageContext(root, output)],
  ['the bill of materials is written', () => writeSbom(root, output)],
  ['the release notes are written', async () => writeNotes(root, output, version)],
  ['checksums are written', async () => writeChecksums(output)],
  ['everything new is added', () => run(['git', 'add', '--all'])],
  ['the release is committed', () => run(['git', 'commit', '--quiet', '--message', `release: ${version}`])],
  ['the release is tagged', () => tag(`v${version}`)],
  ['so is its Go module', () => tag(`clients/go/v${version}`)],
]
for (const [title, step] of steps) {
  const told = await step().catch((error) => fail(`FAIL  ${title}\n${error.message}`))
  say(`ok    ${title}${typeof told === 'string' ? `: ${told}` : ''}`)
}

say(`\nIn ${output}:`)
for (const file of readdirSync(output)) {
  say(`${(statSync(join(output, file)).size / 1e6).toFixed(1).padStart(8)} MB  ${file}`)
}
say(isDryRun ? '\nA dry run: nothing was committed or tagged here.' : '\nNow follow docs/releasing.md.')
