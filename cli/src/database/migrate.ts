import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { describeError, Failure } from '../failure.ts'
import { printResult } from '../print-result.ts'
import type { Terminal } from '../terminal.ts'

export function addMigrate(program: Command, terminal: Terminal): void {
  const migrate = program
    .command('migrate')
    .description('Migrate the schema of DATABASE_URL without starting the service.')
    .option('--check', 'only report what would change: exits with 0 for nothing, 1 for something, 2 if it cannot tell')
    .action(async ({ check = false }: { check?: boolean }) => {
      const [{ readDatabaseUrl }, { migrateCommand }] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/migrate'),
      ])
      try {
        const databaseUrl = readDatabaseUrl(terminal.env)
        const { json } = migrate.optsWithGlobals<{ json?: boolean }>()
        const say = (line: string) => void (json ? terminal.printMessage : terminal.write)(`${line}\n`)
        const { pending, applied } = await migrateCommand({ databaseUrl, check, now: terminal.now(), say })
        const isUpToDate = pending.length === 0
        const lines = [
          ...pending.map(({ version, name }) => `Would apply ${version}: ${name}`),
          ...applied.map((name) => `Applied: ${name}`),
          ...(isUpToDate ? ['The schema is up to date.'] : []),
        ]
        await printResult(terminal, migrate, { isUpToDate, pending, applied }, lines.join('\n'))
        if (!isUpToDate) terminal.exitCode = exitCodes.failed
      } catch (error) {
        // 1 is a result of --check.
        throw new Failure(describeError(error).message, exitCodes.misused)
      }
    })
  withExamples(
    migrate,
    ['petstore migrate --check', 'see what an upgrade changes'],
    ['petstore migrate', 'migrate before replacing the nodes'],
  )
}
