// Runs `npm test` many times, each in a fresh clone of the last commit, and prints a table. `npm run test:repeat -- 30`; with another
// program beside it: `npm run test:repeat -- 10 stress-ng --cpu 4`.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../server/test/harness/run/test-run.ts'

const [count = '', ...beside] = process.argv.slice(2)
if (!/^[1-9]\d*$/.test(count)) {
  process.stderr.write('Say how many times: npm run test:repeat -- 30\n')
  process.exit(1)
}
const say = (text: string) => process.stdout.write(`${text}\n`)

interface Round {
  readonly installSeconds: number
  readonly testSeconds: number
  readonly hasPassed: boolean
  /** The last line, which counts. */
  readonly sum: string
  /** What failed, as the end of the output says. */
  readonly failures: string
}

async function timed(program: readonly string[], cwd: string) {
  const start = performance.now()
  const { exitCode, output } = await runProgram(program, { cwd })
  return { exitCode, output, seconds: (performance.now() - start) / 1_000 }
}

async function runRound(): Promise<Round> {
  const clone = mkdtempSync(join(tmpdir(), 'petstore-repeat-'))
  // Started by root, PostgreSQL runs as another user, who reads its program from here.
  chmodSync(clone, 0o755)
  try {
    await timed(['git', 'clone', '--quiet', process.cwd(), clone], clone)
    const install = await timed(['node', 'scripts/install.mjs', '--dev'], clone)
    const test = await timed(['npm', 'test'], clone)
    const lines = (install.exitCode === 0 ? test : install).output.trimEnd().split('\n')
    const sum = lines.findLast((line) => /^\d+ passed, /.test(line)) ?? lines.at(-1) ?? ''
    // The failures are between the sums of the engines and the last line.
    const failures = lines.slice(lines.findLastIndex((line) => / s of processor time$/.test(line)) + 1)
    return {
      installSeconds: install.seconds,
      testSeconds: test.seconds,
      // A test that passed only at the second try has failed here.
      hasPassed: install.exitCode === 0 && test.exitCode === 0 && !sum.includes('flaky'),
      sum,
      failures: failures.join('\n'),
    }
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
}

const companion =
  beside.length > 0 ? Bun.spawn(beside, { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' }) : undefined
const end = (code: number): never => {
  companion?.kill()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(1))

const { output: commit } = await runProgram(['git', 'log', '-1', '--format=%h %s'])
say(`${commit.trim()}${companion ? `, beside ${beside.join(' ')}` : ''}\n`)
say('| Run | Installing | npm test | Result |\n| --- | --- | --- | --- |')
const rounds: Round[] = []
for (let number = 1; number <= Number(count); number++) {
  const round = await runRound()
  rounds.push(round)
  const times = [round.installSeconds, round.testSeconds].map((seconds) => `${seconds.toFixed(0)} s`)
  say(`| ${number} | ${times.join(' | ')} | ${round.hasPassed ? '' : 'FAILED: '}${round.sum} |`)
  // Separate from the table, and before the next run.
  if (!round.hasPassed) process.stderr.write(`\nRun ${number}:\n${round.failures}\n`)
}
const sorted = rounds.map(({ testSeconds }) => Math.round(testSeconds)).toSorted((one, other) => one - other)
const passed = rounds.filter(({ hasPassed }) => hasPassed).length
const middle = sorted[Math.floor(sorted.length / 2)]
say(`\n${passed} of ${rounds.length} passed, in ${sorted[0]} to ${sorted.at(-1)} s, half of them within ${middle} s`)
end(passed === rounds.length ? 0 : 1)
