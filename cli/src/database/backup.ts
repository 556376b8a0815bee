import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'

export function addBackup(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .description(
      'Write all data, as it is at one moment, to a new file, while the service runs or not. The file is a SQLite database whatever the engine. A large PostgreSQL is better served by pg_dump.',
    )
    .argument('<file>', 'where to write it; nothing is overwritten')
    .action(async (file: string) => {
      const [{ readConfig }, { backUp }] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/backup'),
      ])
      const { databaseUrl } = readConfig({ DATABASE_URL: terminal.env.DATABASE_URL })
      const { bytes } = await backUp({ databaseUrl, file, now: terminal.now() })
      await terminal.write(`Wrote ${file}: ${bytes.toLocaleString('en')} bytes, looked through and sound.\n`)
    })
  withExamples(backup, ['petstore backup /backups/petstore-$(date +%F).db', 'every night, from cron'])
}
