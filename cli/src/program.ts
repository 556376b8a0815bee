import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addCompletion } from './completion.ts'
import { addBackup } from './database/backup.ts'
import { addCopy } from './database/copy.ts'
import { addDoctor } from './database/doctor.ts'
import { addMigrate } from './database/migrate.ts'
import { addRestore } from './database/restore.ts'
import { addServe } from './database/serve.ts'
import { exitCodes, exitCodesHelp } from './exit-codes.ts'
import { describeError } from './failure.ts'
import { addLogin } from './login.ts'
import { categories } from './shop/categories.ts'
import { addEvents } from './shop/events.ts'
import { inventory } from './shop/inventory.ts'
import { addKeys } from './shop/keys.ts'
import { orders } from './shop/orders.ts'
import { pets } from './shop/pets.ts'
import { addResource, type Resource } from './shop/resource.ts'
import { addWebhooks } from './shop/webhooks.ts'
import type { Terminal } from './terminal.ts'
import { addExport } from './transfer/export.ts'
import { addImport } from './transfer/import.ts'

/** All commands, in the order of the help. */
const commands = [
  addServe,
  addMigrate,
  addDoctor,
  addBackup,
  addRestore,
  addCopy,
  addLogin,
  addKeys,
  resource(pets),
  resource(categories),
  resource(orders),
  resource(inventory),
  addEvents,
  addWebhooks,
  addImport,
  addExport,
  addCompletion,
]

function resource<Item>(definition: Resource<Item>) {
  return (program: Command, terminal: Terminal) => addResource(program, terminal, definition)
}

const introduction = 'Run and use the Pet Store: service, database and shop.'

const environmentHelp = `Environment:
  PETSTORE_URL       the service to use; the one you logged in to, or http://127.0.0.1:8080, unless set
  PETSTORE_API_KEY   the API key to use, instead of the one that \`petstore login\` stored
  DATABASE_URL       the database of serve, migrate, backup, restore, doctor and keys create --admin
  NO_COLOR           print no colours

`

export function createProgram(terminal: Terminal): Command {
  const program = new Command('petstore')
    .description(introduction)
    .option('--json', 'print JSON')
    .option('--url <url>', 'the service to use, instead of PETSTORE_URL')
    .version(manifest.version)
    .helpCommand(false)
    .showHelpAfterError('Run with --help for usage.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void terminal.write(text), writeErr: terminal.printMessage })
    .exitOverride()
    .addHelpText('after', `\n${environmentHelp}${exitCodesHelp}`)
  for (const add of commands) add(program, terminal)
  return program
}

/** Runs a command line and returns the exit code. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = createProgram(terminal)
    if (words.length === 0) program.help()
    await program.parseAsync(words, { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    const { message, exitCode } = describeError(error)
    if (message !== '') terminal.printMessage(`${message}\n`)
    return exitCode ?? exitCodes.failed
  }
}
