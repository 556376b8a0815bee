import { Argument, type Command } from 'commander'
import { bash, type CommandNode, fish, zsh } from './completion-scripts.ts'
import { withExamples } from './examples.ts'
import type { Terminal } from './terminal.ts'

const shells: Record<string, (nodes: readonly CommandNode[]) => string> = { bash, zsh, fish }

export function addCompletion(program: Command, terminal: Terminal): void {
  const completion = program
    .command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action(async (shell: string) => {
      await terminal.write(shells[shell]?.(collectNodes(program, [])) ?? '')
    })
  withExamples(
    completion,
    ['source <(petstore completion bash)', 'in ~/.bashrc'],
    ['source <(petstore completion zsh)', 'in ~/.zshrc, after compinit'],
    ['petstore completion fish > ~/.config/fish/completions/petstore.fish', 'once, for fish'],
  )
}

function collectNodes(command: Command, path: readonly string[]): CommandNode[] {
  const helper = command.createHelp()
  const options = [...helper.visibleOptions(command), ...(path.length > 0 ? helper.visibleGlobalOptions(command) : [])]
  const words = [
    ...command.commands.map((sub) => ({ word: sub.name(), description: sub.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => ({ word, description })),
    ),
    ...options.flatMap(({ long, description, argChoices: values = [], required: takesValue }) =>
      long ? [{ word: long, description, values, takesValue }] : [],
    ),
  ]
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((sub) => collectNodes(sub, [...path, sub.name()])),
  ]
}
