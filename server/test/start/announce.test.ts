import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { explainFailure } from '../../src/announce.ts'
import { eventually } from '../harness/eventually.ts'
import { runProgram, runService } from '../harness/run/run-service.ts'
import { programFile } from '../harness/run/test-programs.ts'
import { newDirectory } from '../harness/scratch.ts'

// What a person reads in the terminal. Always on SQLite, whatever the engine of the other tests.

test('on a terminal the log is for people; elsewhere, or with LOG_FORMAT=json, it is JSON', async () => {
  using home = newDirectory()
  const env = { LOG_LEVEL: 'info', PORT: '0', TERM: 'dumb' }
  const started = async (more: Record<string, string>, onTerminal: boolean) => {
    const command = [process.execPath, programFile('service')]
    // Part of util-linux: runs a command on a new terminal.
    const onOne = ['script', '--quiet', '--return', '--flush', '--command', command.join(' '), '/dev/null']
    await using running = runProgram({
      command: onTerminal ? onOne : command,
      cwd: home.path,
      env: { ...env, ...more },
      readyWhen: /is ready on port \d+\./,
    })
    await running.ready
    const lines = () => (running.output() + running.errors()).split(/\r?\n/)
    return await eventually(() => lines().find((line) => /\bstarted\b.*port/.test(line)))
  }
  const text = /^\d\d:\d\d:\d\d info {2}started version=[\d.]+ schema=\d+ engine=sqlite port=\d+$/
  expect(await started({}, true)).toMatch(text)
  expect(await started({ LOG_FORMAT: 'text' }, false)).toMatch(text)
  expect(JSON.parse(await started({}, false))).toMatchObject({ message: 'started', engine: 'sqlite' })
  expect(JSON.parse(await started({ LOG_FORMAT: 'json' }, true))).toMatchObject({ message: 'started' })
})

test('a start that fails says why like the log: as a JSON line, or as plain text', async () => {
  using home = newDirectory()
  const said = async (env: Record<string, string>) => {
    await using running = runService({ cwd: home.path, env })
    expect(await running.exited).toBe(1)
    return running.errors()
  }
  const invalid = { TRUSTED_PROXIES: 'proxy', LOG_LEVEL: 'silent' }
  const wrong = { DATABASE_URL: `sqlite:${home.path}`, LOG_LEVEL: 'silent' }
  for (const [env, reason] of [
    [invalid, 'The configuration is invalid:\n  TRUSTED_PROXIES is "proxy"'],
    [wrong, `The database ${home.path} cannot be opened`],
  ] as const) {
    for (const format of [{}, { LOG_FORMAT: 'json' }]) {
      const lines = (await said({ ...env, ...format })).trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        { time: expect.any(String), level: 'error', message: expect.stringContaining(reason) },
      ])
    }
    expect(await said({ ...env, LOG_FORMAT: 'text' })).toStartWith(reason)
  }
})

test('a host of sandboxes prints a shop, and calls that can be tried at once', async () => {
  using home = newDirectory()
  const running = runProgram({
    command: [process.execPath, programFile('petstore'), 'sandbox', '--port', '0', '--directory', home.path],
    readyWhen: /curl --json .*\n/,
  })
  await running.ready
  const calls = running.output().match(/^ {2}curl .*$/gm) ?? []
  const responses = await Promise.all(calls.map((call) => Bun.$`sh -c ${`${call} --silent --show-error`}`.json()))
  expect(responses).toMatchObject([{ length: 3 }, { code: 'unavailable' }, { url: expect.stringContaining('/s/') }])
  expect(await running.kill('SIGTERM')).toBe(0)
})

test('a full disk ends the start with what to do', () => {
  using database = new Database(':memory:')
  database.run('PRAGMA max_page_count = 2')
  database.run('CREATE TABLE t (x)')
  try {
    database.run('INSERT INTO t VALUES (zeroblob(100000))')
    throw new Error('it had room')
  } catch (cause) {
    expect(explainFailure(cause)).toContain('The disk is full')
    expect(explainFailure(new Error('the database is unavailable', { cause }))).toContain('The disk is full')
  }
})
