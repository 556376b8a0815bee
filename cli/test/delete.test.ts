import { afterAll, describe, expect, test } from 'bun:test'
import { onTerminal } from './harness/on-terminal.ts'
import { petstore } from './harness/petstore.ts'
import { startSampleShop } from './harness/sample-shop.ts'

const shop = await startSampleShop()
const plain = { ...shop.env, NO_COLOR: '1' }
afterAll(() => shop.stop())

const run = (...words: string[]) => petstore(words, { env: plain })
/** Types an answer as soon as the question appears. */
const response = (keys: string, ...words: string[]) =>
  onTerminal(words, { env: plain, typed: { after: '[y/N] ', keys } })

async function newPet(): Promise<string> {
  const { output } = await run('pets', 'create', '--name', 'Doomed', '--category-id', '1', '--json')
  return String(JSON.parse(output).id)
}
const exists = async (id: string) => (await run('pets', 'get', id)).code === 0

describe('a deletion', () => {
  test('at a terminal asks first, and does nothing unless the answer is yes', async () => {
    const id = await newPet()
    const responses = ['\n', 'n\n', 'nay\n', '\x04', '\x03']
    const runs = await Promise.all(responses.map((keys) => response(keys, 'pets', 'delete', id)))
    for (const { code, screen } of runs) {
      expect([code === 0, screen]).toEqual([false, expect.stringContaining(`Delete pet ${id}? [y/N] `)])
    }
    expect(await exists(id)).toBe(true)
    const { code, screen } = await response('y\n', 'pets', 'delete', id)
    expect([code, screen]).toEqual([0, expect.stringMatching(/Deleted\.\r\n$/)])
    expect(await exists(id)).toBe(false)
  })

  test('does not ask with --yes, or if no person is at the terminal', async () => {
    const [first, second] = [await newPet(), await newPet()]
    const { code, screen } = await onTerminal(['pets', 'delete', first, '--yes'], { env: plain })
    expect([code, screen]).toEqual([0, 'Deleted.\r\n'])
    expect(await run('pets', 'delete', second)).toEqual({ code: 0, output: 'Deleted.\n', errors: '' })
  })

  test('takes several ids, asks once, and says how far it came', async () => {
    const [first, second, third] = [await newPet(), await newPet(), await newPet()]
    const { screen } = await response('yes\n', 'pets', 'delete', first, second, second)
    expect(screen).toContain('Delete 2 pets? [y/N] ')
    expect(screen).toEndWith(`${first}: Deleted.\r\n${second}: Deleted.\r\n`)
    const { code, output, errors } = await run('pets', 'delete', third, second)
    expect([code, output, errors.includes(second)]).toEqual([4, `${third}: Deleted.\n`, true])
    expect((await run('pets', 'delete', '1', '2', '--if-match', '"x"')).code).toBe(2)
    const [fourth, fifth] = [await newPet(), await newPet()]
    const failed = await run('pets', 'delete', fourth, fifth, second, '--json')
    expect([failed.code, failed.output]).toEqual([4, ''])
    expect(JSON.parse(failed.errors)).toMatchObject({
      code: 'pet_not_found',
      removed: [Number(fourth), Number(fifth)],
    })
  })

  test('with --dry-run shows what would be lost, without a question', async () => {
    const [first, second] = [await newPet(), await newPet()]
    const words = ['pets', 'delete', first, second, '--dry-run']
    const { code, screen } = await onTerminal(words, { env: plain })
    const row = (id: string) => `${id} +Doomed +Dogs +available +1\r\n`
    expect([code, screen]).toEqual([0, expect.stringMatching(new RegExp(`^ID .*\r\n${row(first)}${row(second)}$`))])
    expect([await exists(first), await exists(second)]).toEqual([true, true])
    expect(JSON.parse((await run(...words, '--json')).output)).toHaveLength(2)
    expect((await run('pets', 'delete', first, '999999', '--dry-run')).code).toBe(4)
  })

  test('of anything asks: what is lost is named', async () => {
    const questions = {
      'categories delete 1': 'Delete category 1?',
      'orders delete 1 2': 'Cancel 2 orders?',
      'inventory delete 1': 'Delete the stock record of pet 1?',
      'keys revoke 1': 'Revoke key 1?',
      'webhooks delete 1': 'Delete webhook 1?',
    }
    const runs = Object.entries(questions).map(async ([line, question]) => {
      const { code, screen } = await response('n\n', ...line.split(' '))
      expect([code, screen]).toEqual([1, expect.stringContaining(`${question} [y/N] `)])
    })
    await Promise.all(runs)
  })
})
