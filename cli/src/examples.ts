import type { Command } from 'commander'

/** Adds examples to the help of a command. */
export function withExamples(
  command: Command,
  ...examples: readonly (readonly [line: string, description: string])[]
): Command {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, description]) => `  ${line.padEnd(width)}  ${description}`)
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}
