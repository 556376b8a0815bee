// Makes a release: npm run release -- <version> <URL of the repository> [--dry-run] [--target <platform>]
// With --dry-run, everything happens in a copy of the last commit, except npm run test:all, and nothing stays but the built files.
// With --target, executables are built for these platforms only. docs/releasing.md says what a person does afterwards.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildExecutables, buildImage, packTarballs, targets, writeChecksums, writeSbom } from './release/build.ts'
import { copyOfLastCommit } from './release/copy.ts'
import { dateChangelog } from './release/date-changelog.ts'
import { reasonsNotToRelease } from './release/reasons.ts'
import { runIn } from './release/run.ts'
import { parseRepository, setRepository } from './release/set-repository.ts'
import { setVersion } from './release/set-version.ts'

const words = process.argv.slice(2)
const isDryRun = words.includes('--dry-run')
const chosen = words.flatMap((word, at) => (word === '--target' ? (words[at + 1] ?? '') : []))
const [version = '', address = ''] = words
const say = (text: string) => process.stdout.write(`${text}\n`)

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

const url = parseRepository(address)
if (url === undefined)
  fail('Give the URL of the repository: npm run release -- 1.2.3 https://git.example.com/you/petstore')
const unknown = chosen.filter((target) => !targets.includes(target))
if (unknown.length > 0) fail(`Unknown target ${unknown.join(', ')}. Use ${targets.join(', ')}.`)
const repository = resolve(import.meta.dir, '..')
const reasons = await reasonsNotToRelease(repository, version, { isDryRun })
if (reasons.length > 0)
  fail(`${version || 'This'} cannot be released:\n${reasons.map((text) => `  ${text}`).join('\n')}`)

using copy = isDryRun ? await copyOfLastCommit(repository) : undefined
const root = copy?.path ?? repository
const run = runIn(root)
const output = join(repository, `dist-release-${version}`)
rmSync(output, { recursive: true, force: true })
mkdirSync(output)

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
  ['SDK and command line are packed', () => packTarballs(root, output)],
  ['executables are built', () => buildExecutables(root, output, chosen.length > 0 ? chosen : targets)],
  ['the image is built', () => buildImage(root, version, { isDryRun })],
  ['the bill of materials is written', () => writeSbom(root, output)],
  ['checksums are written', async () => writeChecksums(output)],
  ['everything new is added', () => run(['git', 'add', '--all'])],
  ['the release is committed', () => run(['git', 'commit', '--quiet', '--message', `release: ${version}`])],
  ['the release is tagged', () => run(['git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`])],
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
