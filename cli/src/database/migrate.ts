import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, told } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

export function addMigrate(program: Command, terminal: Terminal): void {
  const migrate = program
    .command('migrate')
    .description('Bring the schema of DATABASE_URL up to date, apart from serving.')
    .option('--check', 'only say what would be done: ends with 0 for nothing, 1 for something, 2 when it cannot tell')
    .action(async ({ check = false }: { check?: boolean }) => {
      const [{ readConfig }, { migrateCommand }] = await Promise.all([
        import('@petstore/server/config'),
        import('@petstore/server/migrate'),
      ])
      try {
        const { databaseUrl } = readConfig({ DATABASE_URL: terminal.env.DATABASE_URL })
        const say = (line: string) => void terminal.write(`${line}\n`)
        terminal.exitCode = await migrateCommand({ databaseUrl, check, now: terminal.now(), say })
      } catch (error) {
        // 1 is a check's answer.
        throw new Failure(told(error).message, exitCodes.misused)
      }
    })
  withExamples(
    migrate,
    ['petstore migrate --check', 'see what an upgrade would change'],
    ['petstore migrate', 'change it, before the nodes are replaced'],
  )
}
