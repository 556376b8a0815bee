import type { Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addApi } from './api.ts'
import { addCompletion } from './completion.ts'
import { toJson } from './controls.ts'
import { addArchive } from './database/archive.ts'
import { addBackup } from './database/backup.ts'
import { addCopy } from './database/copy.ts'
import { addDoctor } from './database/doctor.ts'
import { addMigrate } from './database/migrate.ts'
import { addRestore } from './database/restore.ts'
import { addServe } from './database/serve.ts'
import { type ExitCode, exitCodes, exitCodesHelp } from './exit-codes.ts'
import { describeError } from './failure.ts'
import { addHelp } from './help.ts'
import { addJudge } from './judge/judge.ts'
import { addLogin } from './login.ts'
import { addMcp } from './mcp.ts'
import { addSandbox } from './sandbox/host.ts'
import { addAccount } from './shop/account.ts'
import { categories } from './shop/categories.ts'
import { addEvents } from './shop/events.ts'
import { inventory, stockMovements } from './shop/inventory.ts'
import { addKeys } from './shop/keys.ts'
import { orderHistory, orders } from './shop/orders.ts'
import { petCounts, pets } from './shop/pets.ts'
import { type Actions, addActions, addResource, type Resource } from './shop/resource.ts'
import { settings } from './shop/settings.ts'
import { addSummary } from './shop/summary.ts'
import { addWebhooks } from './shop/webhooks.ts'
import { SuggestingCommand } from './suggestions.ts'
import type { Terminal } from './terminal.ts'
import { addExport } from './transfer/export.ts'
import { addImport } from './transfer/import.ts'

/** All commands, in the order in which the help lists them. */
const commands = [
  addServe,
  addSandbox,
  addJudge,
  addMigrate,
  addDoctor,
  addBackup,
  addRestore,
  addArchive,
  addCopy,
  addLogin,
  addAccount,
  addSummary,
  addKeys,
  resource(pets, petCounts),
  resource(categories),
  resource(orders, orderHistory),
  resource(inventory, stockMovements),
  resource(settings),
  addEvents,
  addWebhooks,
  addImport,
  addExport,
  addApi,
  addMcp,
  addCompletion,
  addHelp,
]

/** A group of commands, with additional commands that have other columns. */
function resource<Item, Other = never>(definition: Resource<Item>, more?: Actions<Other>) {
  return (program: Command, terminal: Terminal) => {
    const group = addResource(program, terminal, definition)
    if (more) addActions(group, terminal, more)
  }
}

const introduction = 'Run and use the Pet Store: service, database and shop.'

const environmentHelp = `Environment:
  PETSTORE_URL          the service to use; the one you logged in to, or http://127.0.0.1:8080, unless set
  PETSTORE_API_KEY      the API key to use, instead of the one that \`petstore login\` stored
  PETSTORE_SANDBOX_URL  the host for sandbox run and sandbox challenge; one is started unless set
  PETSTORE_SANDBOX_KEY  the key of that host, if it needs one
  DATABASE_URL          the database of serve, migrate, backup, restore, archive, doctor and keys create --admin
  NO_COLOR              print no colours

`

const valuesShownMax = 9

/** The description of an option in the help, with its values if they are few, and its default. */
function describeOption({ description, argChoices: values = [], defaultValue }: Option): string {
  const known = values.length > 0 && values.length <= valuesShownMax ? `: ${values.join(', ')}` : ''
  return `${description}${known}${defaultValue === undefined ? '' : ` (default: ${defaultValue})`}`
}

export function createProgram(terminal: Terminal, isQuiet = false): Command {
  const program = new SuggestingCommand('petstore')
    .description(introduction)
    .option('--json', 'print JSON; errors too, on standard error')
    .option('--wide', 'do not truncate')
    .option('--url <url>', 'the service to use, instead of PETSTORE_URL')
    .version(manifest.version)
    .helpCommand(false)
    .showHelpAfterError('Run with --help for usage.')
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => void terminal.write(text),
      writeErr: isQuiet ? () => {} : terminal.printMessage,
    })
    .exitOverride()
    .addHelpText('after', `\n${environmentHelp}${exitCodesHelp}`)
  for (const add of commands) add(program, terminal)
  return program
}

/** Runs a command line and returns the exit code. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = createProgram(terminal, wantsJson(words))
    if (words.length === 0) program.help()
    await program.parseAsync(words, { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    return printError(error, words, terminal)
  }
}

/** Prints why a command line failed, and returns the exit code. */
export function printError(error: unknown, words: readonly string[], { printMessage }: Terminal): ExitCode {
  const { message, exitCode, fields } = describeError(error)
  if (exitCode === exitCodes.done) return exitCode
  if (wantsJson(words)) printMessage(`${toJson({ ...fields, exitCode })}\n`)
  else if (message !== '') printMessage(`${message}\n`)
  return exitCode
}

const wantsJson = (words: readonly string[]): boolean => words.includes('--json')
