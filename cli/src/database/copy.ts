import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { loadServer } from './load-server.ts'

export function addCopy(program: Command, terminal: Terminal): void {
  const copy = program
    .command('copy')
    .description('Copy all data to an empty database: from SQLite to PostgreSQL or back.')
    .argument('<from>', 'sqlite:<path> or postgres://user:password@host:5432/database')
    .argument('<to>', 'the target, in the same form; all or nothing is copied')
    .action(async (from: string, to: string) => {
      const [{ readConfig }, { copyDatabase }] = await loadServer(() =>
        Promise.all([import('@petstore/server/config'), import('@petstore/server/copy')]),
      )
      const rows = await copyDatabase({
        fromUrl: readConfig({ DATABASE_URL: from }).databaseUrl,
        toUrl: readConfig({ DATABASE_URL: to }).databaseUrl,
        now: terminal.now(),
        onTable: (table, count) => void terminal.write(`${table.padEnd(20)} ${count}\n`),
      })
      await terminal.write(`Copied ${rows} rows. Now start the service with the new DATABASE_URL.\n`)
    })
  withExamples(copy, [
    'petstore copy sqlite:data/petstore.db postgres://…',
    'move to several nodes; stop the service first',
  ])
}
