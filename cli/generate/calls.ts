import type { Command } from 'commander'
import { callsOf, operationIds, operationOf, whyWithoutCommand } from '../src/calls.ts'
import { createProgram } from '../src/program.ts'

const silentTerminal = { env: {}, write: async () => {}, printMessage: () => {} } as never

/** Every command without subcommands, by its name, such as `pets list`. */
export function commandsByName(): Map<string, Command> {
  const leaves = (command: Command, path: readonly string[]): [string, Command][] =>
    command.commands.length === 0
      ? [[path.join(' '), command]]
      : command.commands.flatMap((sub) => leaves(sub, [...path, sub.name()]))
  return new Map(leaves(createProgram(silentTerminal), []))
}

/** CALLS.md: the command of every operation, or why there is none. */
export function formatCalls(): string {
  const commands = [...commandsByName()]
  const rows = operationIds.map((id) => {
    const { method, path } = operationOf(id)
    const callers = commands.filter(([, command]) => callsOf(command).includes(id))
    // The first operation that a command declares is what it is for.
    const main = callers.filter(([, command]) => callsOf(command)[0] === id)
    const names = (main.length > 0 ? main : callers).map(([name]) => `\`${name}\``).join(', ')
    return `| \`${method} ${path}\` | ${names || whyWithoutCommand(id) || ''} |\n`
  })
  return `# Calls of petstore\n\nLook up which command calls an operation.\n\n| Operation | Command |\n| --- | --- |\n${rows.join('')}`
}
