import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { addChallenge } from './challenge-command.ts'
import { addReport } from './report.ts'
import { addRun } from './run.ts'
import { addSnapshots } from './snapshot.ts'

const defaultPort = '8090'
const defaultDirectory = 'data/sandbox-host'

interface Options {
  readonly port?: string
  readonly directory?: string
  readonly allowOrigin?: string[]
  readonly withParent?: boolean
}

export function addSandbox(program: Command, terminal: Terminal): void {
  const sandbox = program
    .command('sandbox')
    .description('Run private shops for testing clients, each with its own data, clock and faults, until Ctrl-C.')
    .option('--port <port>', `the port, instead of PORT (default: ${defaultPort})`)
    .option('--directory <path>', `where the sandboxes are stored (default: ${defaultDirectory})`)
    .option('--allow-origin <origins...>', 'let pages of these origins use the host, for tests in browsers')
    .option(
      '--with-parent',
      'for tests: stop when the standard input ends, read no settings from the environment, and keep nothing unless --directory is given',
    )
    .action(async ({ port, directory, allowOrigin, withParent = false }: Options, command: Command) => {
      const { serveSandboxes } = await import('@petstore/server/sandbox')
      // HOST, BASE_URL and the like are those of the program under test: Vitest sets BASE_URL to "/".
      const settings = withParent ? {} : terminal.env
      const env = { ...settings, PORT: port ?? settings.PORT ?? defaultPort }
      const { json = false } = command.optsWithGlobals()
      const kept = directory ?? (withParent ? undefined : defaultDirectory)
      if ((await serveSandboxes({ env, directory: kept, allowedOrigins: allowOrigin ?? [], json, withParent })) !== 0)
        terminal.exitCode = exitCodes.failed
    })
  withExamples(
    sandbox,
    ['petstore sandbox', 'a host on port 8090, and a sandbox to start with'],
    ['petstore sandbox --port 0 --json', 'on any free port; prints the URLs as JSON'],
    ['HOST=0.0.0.0 ADMIN_API_KEY=ps_… petstore sandbox', 'for a team; the key creates sandboxes'],
  )
  addSnapshots(sandbox, terminal)
  addReport(sandbox, terminal)
  addRun(sandbox, terminal)
  addChallenge(sandbox, terminal)
}
