import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addCompletion } from './completion.ts'
import { addBackup } from './database/backup.ts'
import { addCopy } from './database/copy.ts'
import { addDoctor } from './database/doctor.ts'
import { addMigrate } from './database/migrate.ts'
import { addRestore } from './database/restore.ts'
import { addServe } from './database/serve.ts'
import { exitCodes, exitCodesInWords } from './exit-codes.ts'
import { told } from './failure.ts'
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

/** Every command there is, in the order of the help: the table of contents. */
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

const introduction = `The Pet Store: its service, its database and its shop, from a terminal.`

const surroundings = `Environment:
  PETSTORE_URL       the service to speak to; http://127.0.0.1:8080 unless set or logged in elsewhere
  PETSTORE_API_KEY   the key to speak with; wins over what \`petstore login\` stored
  DATABASE_URL       the database of serve, migrate, backup, restore, doctor and keys create --admin
  NO_COLOR           no colours

`

export function createProgram(terminal: Terminal): Command {
  const program = new Command('petstore')
    .description(introduction)
    .option('--json', 'answer in JSON, for programs')
    .option('--url <url>', 'the service to speak to, in place of PETSTORE_URL')
    .version(manifest.version)
    .helpCommand(false)
    .showHelpAfterError('Add --help to see what can be said.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void terminal.write(text), writeErr: terminal.tell })
    .exitOverride()
    .addHelpText('after', `\n${surroundings}${exitCodesInWords}`)
  for (const add of commands) add(program, terminal)
  return program
}

/** Does what the words say. Returns the exit code. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = createProgram(terminal)
    if (words.length === 0) program.help()
    await program.parseAsync(words, { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    const { message, exitCode } = told(error)
    if (message !== '') terminal.tell(`${message}\n`)
    return exitCode ?? exitCodes.failed
  }
}
