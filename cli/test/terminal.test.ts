import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { textWidth } from '../src/text-width.ts'
import { startOlderShop, controls as stored } from './harness/older-shop.ts'
import { onTerminal } from './harness/on-terminal.ts'
import { writePets } from './harness/pets-file.ts'
import { petstore } from './harness/petstore.ts'
import { startSampleShop } from './harness/sample-shop.ts'

const shop = await startSampleShop()
const { env } = shop
afterAll(() => shop.stop())

describe('for a person at a terminal', () => {
  test('titles are bold, unless NO_COLOR is set or the output is no terminal', async () => {
    const words = ['pets', 'list', '--limit', '1']
    expect((await onTerminal(words, { env })).screen).toContain('\x1b[1mID')
    expect((await onTerminal(words, { env: { ...env, NO_COLOR: '1' } })).screen).not.toContain('\x1b[')
    expect((await petstore(words, { env })).output).not.toContain('\x1b[')
  })

  // The service rejects control characters now; one that stored them earlier still returns them.
  const older = startOlderShop(env.PETSTORE_URL ?? '')
  afterAll(older.stop)
  const olderEnv = { ...env, PETSTORE_URL: older.url }

  test('control characters are removed from names', async () => {
    const name = `Evil ${older.placeholder} \u202e name`
    await petstore(['pets', 'create', '--name', name, '--category-id', '1'], { env })
    const { screen } = await onTerminal(['pets', 'list', '--q', 'Evil'], { env: olderEnv })
    expect(screen).toContain('Evil')
    for (const part of ['\x1b]', '\x1b[2J', '\x07', '\u202e']) expect(screen).not.toContain(part)
  })

  // C0, DEL, C1 and marks of text direction.
  const controls = /(?![\r\n])\p{Cc}|\p{Bidi_Control}/u
  const nameWith = (text: string) => `Controls ${text} \u061c \u200f \u202e \u2066 end`
  const controlName = nameWith(stored)
  const sentName = nameWith(older.placeholder)

  test('JSON has control characters escaped, and means the same', async () => {
    const plain = { env: { ...olderEnv, NO_COLOR: '1' } }
    const create = ['pets', 'create', '--name', sentName, '--category-id', '1', '--json']
    const { screen } = await onTerminal(create, plain)
    expect([controls.test(screen), JSON.parse(screen).name]).toEqual([false, controlName])
    for (const words of [
      ['pets', 'list', '--q', 'Controls'],
      ['events', 'list', '--all'],
    ]) {
      const { output } = await petstore([...words, '--json'], { env: olderEnv })
      const names = JSON.parse(output).map(
        (item: { name?: string; data?: { name?: string } }) => item.name ?? item.data?.name,
      )
      expect([controls.test(output), names.includes(controlName)]).toEqual([false, true])
    }
    const { output } = await petstore(['export', '--format', 'ndjson'], { env: olderEnv })
    const names = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).name)
    expect([controls.test(output), names.includes(controlName)]).toEqual([false, true])
  })

  test('no export, message or table on a terminal has control characters', async () => {
    const plain = { env: { ...olderEnv, NO_COLOR: '1' } }
    const newest = await petstore(['events', 'list', '--sort', '-id', '--limit', '1', '--json'], { env: olderEnv })
    const [before] = JSON.parse(newest.output)
    await petstore(['pets', 'create', '--name', sentName, '--category-id', '1'], { env: olderEnv })
    for (const words of [
      ['export', '--format', 'csv'],
      ['pets', 'list', '--q', 'Controls'],
      ['events', 'list', '--all'],
      ['events', 'tail', '--after', before.id, '--type', 'pet.created', '--limit', '1'],
      ['keys', 'create', '--name', sentName, '--plan', 'free', '--preset', 'reader'],
    ]) {
      const { screen } = await onTerminal(words, plain)
      expect([screen.includes('Controls'), controls.test(screen)]).toEqual([true, false])
    }
    const { screen } = await onTerminal(['import', `/nonexistent/${controlName}`], plain)
    expect([screen.includes('Controls'), controls.test(screen)]).toEqual([true, false])
    // A file or a program gets them all.
    expect((await petstore(['export', '--format', 'csv'], { env: olderEnv })).output).toContain(controlName)
  })

  test('an import shows its progress', async () => {
    using home = newDirectory()
    const file = join(home.path, 'pets.ndjson')
    await writePets(file, 500)
    const { code, screen } = await onTerminal(['import', file], { env })
    expect([code, /\[#+-*\] (\d{1,2}|100) % {2}\d+ pets/.test(screen)]).toEqual([0, true])
    expect(screen).toEndWith('Imported 500 pets; new: 7 categories; rejected: 0 lines.\r\n')
  })

  test('Ctrl-C during an import or export ends the line of the bar and says how to go on', async () => {
    using home = newDirectory()
    const file = join(home.path, 'pets.ndjson')
    await writePets(file, 20_000)
    const typed = { after: ' pets', keys: '\x03' }
    const imported = await onTerminal(['import', file], { env, typed })
    expect([imported.code, imported.screen]).toEqual([
      130,
      expect.stringMatching(
        /\] \d+ % {2}[\d,]+ pets(\^C)?\r\nInterrupted after line \d+: \d+ pets are imported\. Run the same command again to continue\.\r\n$/,
      ),
    ])
    expect(existsSync(`${file}.progress`)).toBe(true)
    const again = await onTerminal(['import', file], { env, typed })
    expect(again.screen).toMatch(/^Continuing after line \d+\.\r\n/)
  })

  test('tables and events fit the terminal, unless --wide is given', async () => {
    const name = 'A name that is far too long '.repeat(6).trim()
    await petstore(['categories', 'create', '--name', 'Wide', '--description', name], { env })
    const plain = { env: { ...env, NO_COLOR: '1' } }
    for (const words of [
      ['categories', 'list', '--q', 'Wide'],
      ['events', 'list', '--type', 'category.created'],
    ]) {
      const { screen } = await onTerminal(words, plain)
      for (const line of screen.split('\r\n')) expect(textWidth(line)).toBeLessThanOrEqual(120)
    }
    const cut = await onTerminal(['categories', 'list', '--q', 'Wide'], plain)
    expect([cut.screen.includes('…'), cut.screen.includes(name)]).toEqual([true, false])
    const wide = await onTerminal(['categories', 'list', '--q', 'Wide', '--wide'], plain)
    expect(wide.screen.replaceAll('\r\n', '')).toContain(name)
    expect((await petstore(['categories', 'list', '--q', 'Wide'], { env })).output).toContain(name)
  })

  test('login does not echo the key, and Ctrl-C ends it', async () => {
    using home = newDirectory()
    const words = ['login', '--url', env.PETSTORE_URL ?? '']
    const after = 'API key for'
    const there = { HOME: home.path }
    const wrong = shop.adminSecret.slice(0, -1)
    const keys = `${wrong}x\x7f${shop.adminSecret.at(-1)}\r`
    const { code, screen } = await onTerminal(words, { env: there, typed: { after, keys } })
    expect([code, screen.includes(wrong.slice(3))]).toEqual([0, false])
    expect(await onTerminal(words, { env: there, typed: { after, keys: 'ps_\x03' } })).toMatchObject({ code: 130 })
  })
})
