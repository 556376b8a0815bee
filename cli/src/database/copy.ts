import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { printResult } from '../print-result.ts'
import type { Terminal } from '../terminal.ts'

export function addCopy(program: Command, terminal: Terminal): void {
  const copy = program
    .command('copy')
    .description('Copy all data to an empty database: from SQLite to PostgreSQL or back.')
    .argument('<from>', 'sqlite:<path> or postgres://user:password@host:5432/database')
    .argument('<to>', 'the target, in the same form; all or nothing is copied')
    .action(async (from: string, to: string) => {
      const [{ databaseUrl }, { copyDatabase }] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/copy'),
      ])
      for (const [name, given] of Object.entries({ from, to })) {
        const url = databaseUrl(given)
        if (url instanceof Error) throw new Failure(`<${name}> must be ${url.message}.`, exitCodes.misused)
      }
      const { json } = copy.optsWithGlobals<{ json?: boolean }>()
      const tables: Record<string, number> = {}
      const rows = await copyDatabase({
        fromUrl: from,
        toUrl: to,
        now: terminal.now(),
        onTable(table, count) {
          tables[table] = count
          if (!json) void terminal.write(`${table.padEnd(20)} ${count}\n`)
        },
      })
      const text = `Copied ${rows} rows. Now start the service with the new DATABASE_URL.`
      await printResult(terminal, copy, { rows, tables }, text)
    })
  withExamples(copy, [
    'petstore copy sqlite:data/petstore.db postgres://…',
    'move to several nodes; stop the service first',
  ])
}
