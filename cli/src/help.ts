import type { Command } from 'commander'
import { withExamples } from './examples.ts'

/** `petstore help pets list` is the same as `petstore pets list --help`. */
export function addHelp(program: Command): void {
  const help = program
    .command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'the command, such as pets list')
    .action((names: readonly string[]) => {
      let command = program
      for (const name of names) {
        const found = command.commands.find((sub) => sub.name() === name)
        command = found ?? help.error(`error: unknown command '${names.join(' ')}'`)
      }
      command.help()
    })
  withExamples(help, ['petstore help pets', 'the commands for pets'], ['petstore help pets list', 'one of them'])
}
