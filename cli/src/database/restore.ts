import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'

export function addRestore(program: Command, terminal: Terminal): void {
  const restore = program
    .command('restore')
    .description(
      'Put a backup in the place of the database of DATABASE_URL. A SQLite file that is there is kept under another name; a PostgreSQL must be empty. Stop the service first.',
    )
    .argument('<file>', 'what petstore backup wrote')
    .action(async (file: string) => {
      const [{ readConfig }, { restore }] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/restore'),
      ])
      const { databaseUrl } = readConfig({ DATABASE_URL: terminal.env.DATABASE_URL })
      const { kept } = await restore({ databaseUrl, file, now: terminal.now() })
      await terminal.write(`Restored ${file}.${kept ? ` What was there before is now ${kept}.` : ''}\n`)
    })
  withExamples(restore, ['petstore restore /backups/petstore-2026-11-15.db', 'go back to that day'])
}
