import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { loadServer } from './load-server.ts'

export function addBackup(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .description(
      'Write a consistent copy of all data to a new file, whether or not the service runs. The file is a SQLite database, whatever the engine. For a large PostgreSQL database use pg_dump.',
    )
    .argument('<file>', 'the file to write; existing files are not overwritten')
    .action(async (file: string) => {
      const [{ readConfig }, { backUp }] = await loadServer(() =>
        Promise.all([import('@petstore/server/config'), import('@petstore/server/backup')]),
      )
      const { databaseUrl } = readConfig({ DATABASE_URL: terminal.env.DATABASE_URL })
      const { bytes } = await backUp({ databaseUrl, file, now: terminal.now() })
      await terminal.write(`Wrote ${file}: ${bytes.toLocaleString('en')} bytes, checked.\n`)
    })
  withExamples(backup, ['petstore backup /backups/petstore-$(date +%F).db', 'nightly backup, from cron'])
}
