// Runs test files as a busy machine would: each of their processes is stopped half of the time, at random.
// `bun server/test/harness/run/stutter.ts server/test/shop/orders/rush.test.ts`, with --postgres on PostgreSQL.
// Not for tests that stop processes themselves (cluster/frozen), nor for script(1), which stops with its child (start/announce).
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { seeded } from '../seeded.ts'
import { createRunDirectory } from './run-directory.ts'
import { preparePostgres } from './test-postgres.ts'
import { buildTestPrograms } from './test-programs.ts'
import { makeSqliteTemplate } from './test-templates.ts'

/** How long a process is stopped or runs, at most, before the next draw. */
const tickMsMax = 300

interface ProcessState {
  readonly parent: number
  readonly isStopped: boolean
}

function processStates(): Map<number, ProcessState> {
  const states = new Map<number, ProcessState>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      // The name of the program is in parentheses and may contain any character.
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      states.set(Number(entry), { parent: Number(fields[1]), isStopped: fields[0] === 'T' })
    } catch {
      // It has ended meanwhile.
    }
  }
  return states
}

function descendantsOf(root: number, states: ReadonlyMap<number, ProcessState>): number[] {
  const children = [...states].filter(([, { parent }]) => parent === root).map(([pid]) => pid)
  return children.flatMap((pid) => [pid, ...descendantsOf(pid, states)])
}

/** Stops each descendant of a process half of the time. Returns a function that ends this and lets all of them run. */
export function stutter(root: number, seed: number): () => void {
  const random = seeded(seed)
  const stopped = new Set<number>()
  const resumeAll = () => {
    for (const pid of stopped) if (!isStopPending(pid)) signal(pid, 'SIGCONT')
    stopped.clear()
  }
  let ticking: NodeJS.Timeout
  function tick(): void {
    resumeAll()
    const states = processStates()
    for (const pid of descendantsOf(root, states)) {
      // A process that a test has stopped stays stopped.
      if (random(2) === 0 || states.get(pid)?.isStopped) continue
      signal(pid, 'SIGSTOP')
      stopped.add(pid)
    }
    ticking = setTimeout(tick, random(tickMsMax))
  }
  tick()
  return () => {
    clearTimeout(ticking)
    resumeAll()
  }
}

/** Whether a test has stopped this process too: the second signal waits behind the first, and resuming would discard it. */
function isStopPending(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [, mask = '0'] = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(status) ?? []
    // Before it is stopped, the first signal itself is pending.
    return /^State:\s*T/m.test(status) && (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals.SIGSTOP - 1))) !== 0n
  } catch {
    return false
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

async function main(words: readonly string[]): Promise<number> {
  const files = words.filter((word) => !word.startsWith('--')).map((file) => `./${file}`)
  const onPostgres = words.includes('--postgres')
  const seed = Number(process.env.STUTTER_SEED ?? randomInt(2 ** 32))
  process.stdout.write(`STUTTER_SEED=${seed}\n`)
  const scratch = createRunDirectory()
  const programs = await buildTestPrograms(scratch)
  const postgres = onPostgres ? await (await preparePostgres(scratch)).start() : undefined
  const databases = postgres
    ? postgres.env
    : { TEST_ENGINE: 'sqlite', TEST_SQLITE_TEMPLATE: await makeSqliteTemplate(scratch) }
  const run = Bun.spawn([process.execPath, 'test', '--timeout', '120000', '--no-orphans', ...files], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...programs, ...databases },
  })
  const stop = stutter(process.pid, seed)
  process.once('exit', stop)
  const exitCode = await run.exited
  stop()
  await postgres?.remove()
  return exitCode
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
