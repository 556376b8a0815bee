import type { Command } from 'commander'

/** Shows at the end of a command's help how it is used. */
export function withExamples(
  command: Command,
  ...examples: readonly (readonly [line: string, what: string])[]
): Command {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`)
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}
