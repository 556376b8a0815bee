import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { selectField } from '../src/select-field.ts'
import { petstore } from './harness/petstore.ts'
import { startSampleShop } from './harness/sample-shop.ts'

const shop = await startSampleShop()
const { env } = shop
afterAll(() => shop.stop())

describe('petstore api', () => {
  const api = (words: string[], input?: string) =>
    petstore(['api', ...words], { env, ...(input !== undefined && { input }) })

  test('calls any operation, with a body from the command line, a file or standard input', async () => {
    using home = newDirectory()
    const file = join(home.path, 'pet.json')
    await Bun.write(file, '{"name":"From a file","categoryId":1}')
    const body = '{"name":"Typed","categoryId":1}'
    const created = await api(['POST', '/pets', '--data', body])
    expect(created).toMatchObject({ code: 0, errors: '' })
    const { id } = JSON.parse(created.output)
    expect(JSON.parse((await api(['POST', '/pets', '--data', `@${file}`])).output).name).toBe('From a file')
    expect((await api(['PATCH', `/pets/${id}`, '--data', '-', '--field', '.name'], '{"name":"Piped"}')).output).toBe(
      'Piped\n',
    )
    expect(await api(['DELETE', `/pets/${id}`])).toEqual({ code: 0, output: '', errors: '' })
  })

  test('takes the method in any case, and the path without its first slash', async () => {
    for (const words of [
      ['get', '/pets?limit=1'],
      ['GET', 'pets?limit=1'],
      ['Get', 'pets?limit=1'],
    ]) {
      expect(await api([...words, '--field', '.[].name'])).toEqual({ code: 0, output: 'Rex\n', errors: '' })
    }
    const { code, errors } = await api(['get', '/pets', '--data', '{}'])
    expect([code, errors]).toEqual([2, expect.stringContaining('GET takes no --data.')])
  })

  test('sends a body as it is given: large numbers are not rounded', async () => {
    const { code, errors } = await api(['POST', '/pets', '--data', '{"name":"Rex","categoryId":9007199254740993}'])
    expect([code, errors]).toEqual([5, expect.stringContaining('9007199254740993')])
  })

  test('--field selects, --include shows status and headers, --header sends one', async () => {
    const { output } = await api(['GET', '/pets?limit=2&sort=id', '--field', '.[].name'])
    expect(output.split('\n')[0]).toBe('Rex')
    expect((await api(['GET', '/pets?limit=2', '--field', '.[1].id'])).output).toBe('2\n')
    const { output: whole } = await api(['GET', '/pets/1/profile', '--include'])
    expect(whole).toMatch(/^200 OK\n/)
    const [, etag = ''] = /^etag: (.*)$/m.exec(whole) ?? []
    const stale = ['PATCH', '/pets/1', '--data', '{"name":"Max"}', '--header', 'If-Match: "stale"']
    expect((await api(stale)).code).toBe(5)
    expect((await api([...stale.slice(0, -1), `If-Match: ${etag}`])).code).toBe(0)
  })

  test('a response that is not JSON is printed as it comes', async () => {
    const { output } = await api(['GET', '/llms.txt', '--header', 'Accept: text/plain'])
    expect(output).toStartWith('# ')
  })

  test('a mistake ends it with a reason', async () => {
    expect((await api(['GET', '/nothing'])).code).toBe(4)
    expect((await api(['POST', '/pets', '--data', '{}'])).errors).toContain('categoryId: ')
    for (const words of [
      ['FETCH', '/pets'],
      ['GET', 'https://petstore.example.com/pets'],
      ['POST', '/pets', '--data', '{'],
      ['GET', '/pets', '--data', '{}'],
      ['GET', '/pets', '--header', 'nothing'],
      ['GET', '/pets', '--field', 'name of it'],
    ]) {
      expect([words, (await api(words)).code]).toEqual([words, 2])
    }
  })
})

test('a field is selected as jq does', () => {
  const value = { items: [{ name: 'a', tags: [1, 2] }, { name: 'b' }], empty: null }
  expect(selectField(value, '.')).toEqual([value])
  expect(selectField(value, '.items[0].name')).toEqual(['a'])
  expect(selectField(value, '.items[].name')).toEqual(['a', 'b'])
  expect(selectField(value, '.items.[-1].name')).toEqual(['b'])
  expect(selectField(value, '.items[0].tags[]')).toEqual([1, 2])
  expect(selectField(value, '.empty.more')).toEqual([null])
})
