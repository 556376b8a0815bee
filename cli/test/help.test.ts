import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { root } from '../../server/test/harness/run/run-service.ts'
import { exitCodesHelp } from '../src/exit-codes.ts'
import { createProgram } from '../src/program.ts'
import { petstore } from './harness/petstore.ts'

const silentTerminal = { env: {}, write: async () => {}, printMessage: () => {} } as never

const pathsIn = (command: Command, path: string[]): string[][] => [
  path,
  ...command.commands.flatMap((sub) => pathsIn(sub, [...path, sub.name()])),
]
const isGroup = (command: Command) => command.commands.length > 0
const find = (path: readonly string[]): Command =>
  path.reduce((at, name) => at.commands.find((sub) => sub.name() === name) as Command, createProgram(silentTerminal))

describe('help', () => {
  test.concurrent.each(pathsIn(createProgram(silentTerminal), []).map((path) => [path]))(
    'petstore %j --help describes the command, with examples',
    async (path) => {
      const { code, output, errors } = await petstore([...path, '--help'])
      expect([code, errors]).toEqual([0, ''])
      expect(output).toStartWith(`Usage: ${['petstore', ...path].join(' ')}`)
      expect(output).toContain('--json')
      if (!isGroup(find(path))) expect(output).toContain(`\nExamples:\n`)
    },
  )

  test('petstore without arguments lists the commands', async () => {
    const { code, output } = await petstore([])
    expect([code, output.includes('Commands:')]).toEqual([0, true])
  })

  test('petstore help shows the same as --help, for the program, a group and a command', async () => {
    for (const path of [[], ['pets'], ['pets', 'list']]) {
      const { code, output } = await petstore(['help', ...path])
      expect([code, output]).toEqual([0, (await petstore([...path, '--help'])).output])
    }
  })

  test('keys create --help requires a name and a plan only where the command does', async () => {
    const { output } = await petstore(['keys', 'create', '--help'])
    expect(output.match(/\(required[^)]*\)/g)).toEqual(['(required without --admin)', '(required without --admin)'])
  })

  test('an unknown command suggests the nearest one, with exit code 2', async () => {
    const { code, output, errors } = await petstore(['pets', 'lits'])
    expect([code, output]).toEqual([2, ''])
    expect(errors).toContain('(Did you mean list?)')
    expect((await petstore(['pets', 'get', 'Rex'])).errors).toContain('Must be a whole number.')
    expect((await petstore(['pets', 'get'])).code).toBe(2)
    expect((await petstore(['pets', 'list', '--limit', '0'])).errors).toContain('Must be a whole number, at least 1.')
    expect((await petstore(['pets', 'create'])).errors).toStartWith('error: Missing --name, --category')
  })

  test('only close names are suggested', async () => {
    const suggestions = {
      nope: undefined,
      pts: 'pets',
      category: 'categories',
      'orders ordr': undefined,
      'pets lits': 'list',
      'pets list --stats sold': '--status',
      'pets list --nope': undefined,
    }
    for (const [line, suggested] of Object.entries(suggestions)) {
      const { code, errors } = await petstore(line.split(' '))
      const [, name] = /\(Did you mean (.*)\?\)/.exec(errors) ?? []
      expect([line, code, name]).toEqual([line, 2, suggested])
    }
    expect(JSON.parse((await petstore(['nope', '--json'])).errors).message).toBe("unknown command 'nope'")
  })

  test('the README of the command line has the same table of exit codes as the help', () => {
    expect(readFileSync(join(root, 'cli/README.md'), 'utf8')).toContain(exitCodesHelp)
  })

  test('npx petstore works inside the repository', async () => {
    const link = join(root, 'node_modules/.bin/petstore')
    const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
    const child = Bun.spawn([link, '--version'], { env: { PATH: path }, stdout: 'pipe' })
    expect([await child.stdout.text(), await child.exited]).toEqual(['1.0.0\n', 0])
  })
})
