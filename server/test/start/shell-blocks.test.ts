import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { documents } from '../harness/documents.ts'
import { exampleEnvironment } from '../harness/example-tools.ts'
import { root, runService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

// Every command in a code block of a document runs in a test: here, in the one named here, or it is listed with the reason why not.
// surfaces/pages/guides.test.ts runs the examples of the guides, sdk/test/readme.test.ts those of the SDK.

/** The test that runs what begins like this. */
const runElsewhere: Readonly<Record<string, string>> = {
  'curl -s -H "X-API-Key: $PETSTORE_API_KEY" "$PETSTORE_URL': 'server/test/start/tour.test.ts',
  'PET=$(curl': 'server/test/start/tour.test.ts',
  'curl -s -H "X-API-Key: $PETSTORE_API_KEY" -H \'Content': 'server/test/start/tour.test.ts',
  'curl -s -X PUT "$SHOP/_sandbox/faults"': 'server/test/start/tour.test.ts',
  'npx petstore sandbox report --url "$SHOP"': 'server/test/start/tour.test.ts',
  'npm start': 'server/test/start/install.test.ts',
  'npm install': 'cli/test/install.test.ts',
  'petstore serve --sample': 'cli/test/install.test.ts',
  'npx petstore serve --sample': 'cli/test/install.test.ts',
  'npx @petstore/cli sandbox challenge': 'cli/test/challenges.test.ts',
  'npx @petstore/cli sandbox': 'cli/test/install.test.ts',
  'npx petstore sandbox ': 'cli/test/install.test.ts',
  'npx @petstore/cli webhooks listen': 'cli/test/follow.test.ts',
  'PETSTORE_API_KEY=ps_… npm run receive': 'server/test/platform/webhooks/receivers.test.ts',
  'petstore backup --every': 'cli/test/database.test.ts',
  pg_: 'server/test/platform/db/postgres-backups.test.ts',
  'petstore archive': 'cli/test/archive.test.ts',
  'petstore judge': 'cli/test/judge.test.ts',
  'petstore copy': 'server/test/platform/db/copy.test.ts',
  'petstore migrate': 'cli/test/database.test.ts',
  'npm run test:repeat': 'server/test/platform/lib/repeat.test.ts',
  'npm run openapi': 'scripts/sdk-methods.test.ts',
  'npm run soak': 'server/test/torture/soak.test.ts',
  'npm run compile': 'cli/test/compile.test.ts',
  'npm run build --workspace sdk': 'sdk/test/build.test.ts',
  'npm run release': 'scripts/release/release.test.ts',
}

/** Why no test runs what begins like this. */
const runNowhere: Readonly<Record<string, string>> = {
  'git clone': 'the repository has no public URL yet',
  'npm test': 'it is what runs the tests',
  'npm run test:all': 'it is what runs the tests',
  'npx bun test': 'it is what runs the tests',
  'npm run format': 'it changes the sources',
  'npm run bench': 'figures need a quiet machine',
  'npm run judged': 'it takes an hour; cli/test/judged.test.ts runs the clients once',
  'npm run pictures': 'it takes minutes; pages and screens have tests of their own',
  'WEBHOOK_ALLOW_PRIVATE=true npm start': 'npm start with a setting, which start/config.test.ts reads',
  sudo: 'it changes the machine; start/deploy-files.test.ts checks the units',
  journalctl: 'it needs a machine that runs systemd',
  docker: 'it needs Docker; start/deploy-files.test.ts checks the files, start/image.test.ts what the image runs',
  'for node in': 'it needs Docker; start/deploy-files.test.ts checks the files',
  kubectl: 'it needs a cluster; start/deploy-files.test.ts checks the manifests',
  echo: 'it writes to /etc',
  'cd /archive': 'it needs an archive; cli/test/archive.test.ts checks what archives are',
  'PORT=': 'it needs the database of a machine; the tests in cluster/ run several nodes',
  caddy: 'it needs an installed proxy; cluster/try-out.test.ts runs nodes behind one of our own',
}

interface Command {
  readonly file: string
  readonly text: string
}

/** The commands of a document's blocks, without explanations. A line that ends with a backslash continues. */
function commandsOf([file, text]: readonly [string, string]): Command[] {
  const isGuide = file.startsWith('server/src/shop/guides/')
  const blocks = [...text.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)]
  return blocks.flatMap(([, language, block = '']) => {
    if (!(isGuide ? ['text'] : ['sh', 'text']).includes(language as string)) return []
    const lines = block.replaceAll('\\\n', ' ').split('\n')
    return lines
      .map((line) => line.trim().replace(/ +# .*$/, ''))
      .filter((line) => language === 'sh' || /^([A-Z_]+=\S+ )?(npx|npm) /.test(line))
      .filter((line) => line !== '' && !/^(export |[A-Z_]+=\S+$)/.test(line))
      .map((line) => ({ file, text: line }))
  })
}

const commands = [...documents].flatMap(commandsOf)
const startOf = ({ text }: Command, table: Readonly<Record<string, string>>) =>
  Object.keys(table).find((start) => `${text}  `.startsWith(start))
const own = commands.filter((command) => !startOf(command, runElsewhere) && !startOf(command, runNowhere))

test('the lists name no command that is gone, and tests that exist', () => {
  for (const table of [runElsewhere, runNowhere]) {
    const used = new Set(commands.map((command) => startOf(command, table)))
    expect(Object.keys(table).filter((start) => !used.has(start))).toEqual([])
  }
  expect(Object.values(runElsewhere).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('every npm script and every file that a command names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const named = commands.flatMap(({ text }) => /^npm run ([\w:]+)(?= (?!--workspace)|$)/.exec(text)?.[1] ?? [])
  expect(named.filter((name) => !(name in scripts))).toEqual([])
  const files = commands
    .filter(({ text }) => !text.startsWith('kubectl exec'))
    .flatMap(({ text }) => text.match(/(?<![\w/])(?:server|deploy|examples|scripts)\/[\w./-]+/g) ?? [])
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

const key = newSecret()
const home = newDirectory()
const petstore = join(home.path, 'petstore')
writeFileSync(petstore, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'cli/src/petstore.ts')}" "$@"\n`)
chmodSync(petstore, 0o755)
writeFileSync(join(home.path, 'pets.csv'), 'name,category,stock\nFern,Newts,3\n')
afterAll(() => home.remove())

/** Runs the commands of a document as one script. */
async function run(file: string, env: Record<string, string>, replaced: Readonly<Record<string, string>> = {}) {
  const lines = own.filter((command) => command.file === file).map(({ text }) => text)
  expect([file, lines.length > 0]).toEqual([file, true])
  const script = lines.map((line) =>
    Object.entries({ 'npx petstore': 'petstore', 'npx @petstore/cli': 'petstore', ...replaced }).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      line,
    ),
  )
  const example = exampleEnvironment(home.path, { HOME: home.path, ...env })
  const child = Bun.spawn(['sh', '-euc', script.join('\n')], {
    cwd: home.path,
    env: { ...example, PATH: `${home.path}:${example.PATH}` },
    stdin: new Blob([key]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([file, exitCode, exitCode === 0 ? '' : errors + output]).toEqual([file, 0, ''])
  return output
}

const onService = new Set(['cli/README.md', 'examples/README.md', 'server/src/shop/guides/import.md'])
const onDatabase = new Set(['docs/backup.md', 'docs/deploy.md'])

test('every command is run, here or elsewhere, or has a reason', () => {
  expect(own.filter(({ file }) => !onService.has(file) && !onDatabase.has(file))).toEqual([])
})

describe('commands that talk to a service', () => {
  const running = runService({ cwd: home.path, env: { ADMIN_API_KEY: key, DATABASE_URL: 'sqlite:service.db' } })
  afterAll(() => running.kill('SIGTERM'))

  test.each([...onService])('%s', async (file) => {
    await running.ready
    const env = file === 'cli/README.md' ? {} : { PETSTORE_URL: running.url, PETSTORE_API_KEY: key }
    const output = await run(file, env, { 'https://petstore.example.com': running.url })
    expect(output).not.toBe('')
  })
})

test.each([...onDatabase])('commands on a database: %s', async (file) => {
  const env = { DATABASE_URL: 'sqlite:data/petstore.db', SAMPLE_DATA: 'false' }
  const day = new Date().toISOString().slice(0, 10)
  const script = { '/backups': join(home.path, 'backups'), 'petstore-2026-11-15': `petstore-${day}` }
  Bun.spawnSync(['mkdir', '-p', join(home.path, 'backups'), join(home.path, 'data')])
  Bun.spawnSync([petstore, 'migrate'], { cwd: home.path, env: { ...env, PATH: process.env.PATH ?? '' } })
  // The second command that names this file would find that of the first.
  const withoutFile = { ...script, 'sqlite3 ': `rm -f ${join(home.path, 'backups')}/*.db; sqlite3 ` }
  await run(file, env, withoutFile)
})
