import { type Command, InvalidArgumentError } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { printResult } from '../print-result.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  /** In milliseconds. */
  readonly before?: number
  readonly to?: string
  readonly restore?: string
}

export function addArchive(program: Command, terminal: Terminal): void {
  const archive = program
    .command('archive')
    .description(
      'Move completed and cancelled orders that have not changed since a date, with their history and stock movements, from the database to files, whether or not the service runs. The API then no longer finds them. Each file is read back before its orders are deleted. If it is interrupted, run the same command again.',
    )
    .option(
      '--before <date>',
      'archive orders whose last change was before this day (UTC), such as 2025-01-01',
      readDay,
    )
    .option('--to <folder>', 'where to write the files and their index, index.ndjson; created if missing')
    .option('--restore <folder>', 'return the orders to the database that they came from, or to an empty one')
    .action(async ({ before, to, restore }: Options) => {
      const [{ readDatabaseUrl }, server] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/archive'),
      ])
      const folder = restore ?? to
      if (folder === undefined || (before === undefined) !== (to === undefined) || (to && restore))
        throw new Failure('Give --before and --to, or only --restore.', exitCodes.misused)
      const { json } = archive.optsWithGlobals<{ json?: boolean }>()
      const work = {
        databaseUrl: readDatabaseUrl(terminal.env),
        folder,
        now: terminal.now(),
        onFile: ({ file, orderIds: { first, last } }: { file: string; orderIds: { first: number; last: number } }) =>
          void (json || terminal.write(`${file}  orders ${first} to ${last}\n`)),
      }
      const done =
        before === undefined
          ? { ...(await server.restoreArchive(work)), contradictory: 0 }
          : await server.archive({ ...work, before })
      const moved = `${before === undefined ? 'Restored' : 'Archived'} ${done.orders.toLocaleString('en')} completed orders, ${done.history.toLocaleString('en')} lines of history and ${done.movements.toLocaleString('en')} stock movements.`
      await printResult(terminal, archive, { folder, ...done }, moved)
      if (done.contradictory > 0)
        terminal.printMessage(
          `${done.contradictory} orders stay, because their history and stock movements contradict each other. Run: petstore doctor\n`,
        )
    })
  withExamples(
    archive,
    ['petstore archive --before 2025-01-01 --to /archive/petstore', 'all orders of past years'],
    ['petstore archive --restore /archive/petstore', 'return them'],
  )
}

function readDay(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return time
  throw new InvalidArgumentError('Must be a day, such as 2025-01-01.')
}
