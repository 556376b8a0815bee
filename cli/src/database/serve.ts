import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'

export function addServe(program: Command, terminal: Terminal): void {
  const serve = program
    .command('serve')
    .description('Run the service until Ctrl-C. docs/configuration.md lists the environment variables.')
    .option('--sample', 'fill a new database with the sample shop')
    .option('--port <port>', 'the port, instead of PORT')
    .action(async ({ sample, port }: { sample?: true; port?: string }) => {
      const { servePetStore } = await import('@petstore/server/serve')
      const { SAMPLE_DATA: set, PORT } = terminal.env
      const env = { ...terminal.env, SAMPLE_DATA: sample ? 'true' : set || 'false', PORT: port ?? PORT }
      if ((await servePetStore(env)) !== 0) terminal.exitCode = exitCodes.failed
    })
  withExamples(
    serve,
    ['petstore serve --sample', 'a sample shop in data/petstore.db'],
    ['DATABASE_URL=postgres://… petstore serve', 'one of several nodes on PostgreSQL'],
  )
}
