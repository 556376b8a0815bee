import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'

export function addServe(program: Command, terminal: Terminal): void {
  const serve = program
    .command('serve')
    .description('Serve the shop, until Ctrl-C. Settings come from the environment; the README lists them.')
    .option('--sample', 'begin a new database with the sample shop')
    .option('--port <port>', 'in place of PORT')
    .action(async ({ sample, port }: { sample?: true; port?: string }) => {
      const { serve } = await import('@petstore/server/serve')
      const { SAMPLE_DATA: set, PORT } = terminal.env
      const env = { ...terminal.env, SAMPLE_DATA: sample ? 'true' : set || 'false', PORT: port ?? PORT }
      if ((await serve(env)) !== 0) terminal.exitCode = exitCodes.failed
    })
  withExamples(
    serve,
    ['petstore serve --sample', 'a shop to try things out, in data/petstore.db'],
    ['DATABASE_URL=postgres://… petstore serve', 'one node of many over PostgreSQL'],
  )
}
