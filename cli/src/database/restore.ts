import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { printResult } from '../print-result.ts'
import type { Terminal } from '../terminal.ts'

export function addRestore(program: Command, terminal: Terminal): void {
  const restore = program
    .command('restore')
    .description(
      'Restore a backup to the database of DATABASE_URL. An existing SQLite file is renamed; a PostgreSQL database must be empty. Stop the service first.',
    )
    .argument('<file>', 'a file from petstore backup')
    .action(async (file: string) => {
      const [{ readDatabaseUrl }, server] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/restore'),
      ])
      const databaseUrl = readDatabaseUrl(terminal.env)
      const { kept } = await server.restore({ databaseUrl, file, now: terminal.now() })
      const place = databaseUrl.replace(/^sqlite:/, '').replace(/^postgres(ql)?:.*/, 'PostgreSQL')
      const text = `Restored ${file} to ${place}.${kept ? ` The previous database is now ${kept}.` : ''}`
      await printResult(terminal, restore, { file, kept }, text)
    })
  withExamples(restore, ['petstore restore /backups/petstore-2026-11-15.db', 'restore that day'])
}
