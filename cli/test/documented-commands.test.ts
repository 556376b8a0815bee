import { expect, test } from 'bun:test'
import type { Command, Option } from 'commander'
import { documents } from '../../server/test/harness/documents.ts'
import { createProgram } from '../src/program.ts'

// Every `petstore …` in a document is a command that exists, with options and values that exist.

/** The commands in code spans and code blocks, without an explanation that follows. Notation such as `a | b` or `[--option]` is skipped. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.split('\n'))
  const spans = [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return [...blocks, ...spans]
    .map((line) => /^(?:npx )?(?:petstore|@petstore\/cli) ((?:[^ ]| (?! ))+)/.exec(line)?.[1] ?? '')
    .map((line) => line.replace(/ (?:#|--(?= )|>).*/, ''))
    .filter((line) => line !== '' && !/[|[<…(]/.test(line))
}

const wordsOf = (line: string) => line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []

/** What is wrong with a line, or undefined. */
function faultOf(line: string, program: Command): string | undefined {
  let command = program
  const words = wordsOf(line)
  while (words.length > 0) {
    const word = words.shift() as string
    const sub = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (sub) command = sub
    else if (word === '--help') return undefined
    else if (word.startsWith('--')) {
      const [flag = '', inline] = word.split('=')
      const option = optionOf(command, flag)
      if (!option) return `there is no ${flag}`
      const value = option.required ? (inline ?? words.shift()) : undefined
      if (value && option.argChoices && !option.argChoices.includes(value)) return `${flag} is never ${value}`
    } else if (command.commands.length > 0) return `there is no command ${word}`
  }
  return undefined
}

const optionOf = (command: Command | null, flag: string): Option | undefined =>
  command === null ? undefined : (command.options.find(({ long }) => long === flag) ?? optionOf(command.parent, flag))

test('the commands in the documents exist, with their options and values', () => {
  const program = createProgram({ env: {}, write: async () => {}, printMessage: () => {} } as never)
  const lines = [...documents].flatMap(([file, text]) => commandsIn(text).map((line) => [file, line] as const))
  expect(lines.length).toBeGreaterThan(60)
  const faults = lines.flatMap(([file, line]) => faultOf(line, program)?.replace(/^/, `${file}: ${line}: `) ?? [])
  expect(faults).toEqual([])
})
