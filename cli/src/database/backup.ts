import { setTimeout as pause } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { withExamples } from '../examples.ts'
import { describeError } from '../failure.ts'
import { printResult } from '../print-result.ts'
import type { Terminal } from '../terminal.ts'
import { fileAt, newestAt, removeOlder } from './backup-directory.ts'

interface Options {
  /** In milliseconds. */
  readonly every?: number
  readonly keep?: number
}

/** Prints what was done: with --json one object per line. */
type Print = (facts: Readonly<Record<string, unknown>>, text: string) => Promise<void>

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** How long to wait after a failure, if the next backup is not due earlier. */
const retryMs = 60_000
/** Timers cannot wait longer than 24 days. */
const pauseMsMax = 86_400_000

export function addBackup(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .description(
      'Write a consistent copy of all data to a new file, whether or not the service runs. The file is a SQLite database, whatever the engine. Before it gets its name, it is restored into a scratch file next to it and compared with the service. For a large PostgreSQL database use pg_dump.',
    )
    .argument('<path>', 'the file to write, which must not exist; with --every or --keep the directory for the files')
    .option('--every <time>', 'keep running and write a backup this often, such as 6h or 1d', readTime)
    .option('--keep <time>', 'delete backups in the directory that are older than this, but never the newest', readTime)
    .action(async (path: string, options: Options) => {
      const print: Print = (facts, text) => printResult(terminal, backup, facts, text)
      if (options.every !== undefined)
        await Promise.race([backUpRegularly(path, options, terminal, print), terminal.stopped()])
      else if (options.keep !== undefined) await backUpInto(path, options, terminal, print)
      else await writeBackup(path, terminal, print)
    })
  withExamples(
    backup,
    ['petstore backup /backups/petstore-$(date +%F).db', 'one backup'],
    ['petstore backup --keep 7d /backups', 'from cron or a timer: write one backup, and keep those of the last week'],
    ['petstore backup --every 6h --keep 7d /backups', 'the same, as a program that keeps running'],
  )
}

async function writeBackup(file: string, terminal: Terminal, print: Print): Promise<void> {
  const [{ readDatabaseUrl }, { takeBackup }] = await Promise.all([
    import('@petstore/server/config'),
    import('@petstore/server/backup'),
  ])
  const databaseUrl = readDatabaseUrl(terminal.env)
  const { bytes, rows, gaps } = await takeBackup({ databaseUrl, file, now: terminal.now() })
  const sizes = `${bytes.toLocaleString('en')} bytes, ${rows.toLocaleString('en')} rows`
  await print({ file, bytes, rows, gaps }, `Wrote ${file}: ${sizes}, restored once and compared.`)
  if (gaps.length > 0) terminal.printMessage(`The database itself has gaps: ${gaps.join('; ')}. Run: petstore doctor\n`)
}

/** Writes one backup, then removes the old ones: a failure removes nothing. */
async function backUpInto(directory: string, { keep }: Options, terminal: Terminal, print: Print): Promise<void> {
  const now = terminal.now()
  await writeBackup(fileAt(directory, now), terminal, print)
  if (keep === undefined) return
  for (const name of removeOlder(directory, now - keep, now)) await print({ removed: name }, `Removed ${name}.`)
}

/** Continues after a failure, and after a restart waits until the next one is due. */
async function backUpRegularly(directory: string, options: Options, terminal: Terminal, print: Print): Promise<never> {
  const every = options.every ?? 0
  for (let notBefore = 0; ; ) {
    const now = terminal.now()
    const newest = newestAt(directory, now)
    const due = Math.max(notBefore, newest === undefined ? 0 : newest + every)
    const left = due - now
    if (left > 0) {
      await pause(Math.min(left, pauseMsMax))
      continue
    }
    try {
      await backUpInto(directory, options, terminal, print)
    } catch (error) {
      const failedAt = terminal.now()
      notBefore = failedAt + Math.min(retryMs, every)
      terminal.printMessage(`${new Date(failedAt).toISOString()} No backup: ${describeError(error).message}\n`)
    }
  }
}

function readTime(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit] ?? 0)
  if (ms > 0) return ms
  throw new InvalidArgumentError('Must be a number and a unit, such as 30m, 6h or 7d.')
}
