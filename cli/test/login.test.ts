import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { petstore } from './harness/petstore.ts'

describe('login', () => {
  let shop: Nodes
  let url: string
  beforeAll(async () => {
    shop = await startNodes(1, { SAMPLE_DATA: 'true' })
    url = shop.nodes[0]?.url ?? ''
  })
  afterAll(() => shop.stop())

  test('stores a key for later commands, in a file that only its owner can read', async () => {
    using home = newDirectory()
    const env = { HOME: home.path }
    const login = await petstore(['login', '--url', url], { env, input: `${shop.adminSecret}\n` })
    expect(login).toMatchObject({ code: 0, errors: '' })
    const file = join(home.path, '.config/petstore/login.json')
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect(login.output).not.toContain(shop.adminSecret)
    expect((await petstore(['pets', 'get', '1'], { env })).code).toBe(0)
    // The environment takes precedence, and a stored key is sent nowhere else.
    const wrong = await petstore(['pets', 'get', '1'], { env: { ...env, PETSTORE_API_KEY: 'ps_wrong' } })
    expect(wrong.code).toBe(3)
    for (const other of ['http://127.0.0.1:1', `${url}/behind`]) {
      const elsewhere = await petstore(['pets', 'get', '1'], { env: { ...env, PETSTORE_URL: other } })
      expect([elsewhere.code, elsewhere.errors]).toEqual([3, expect.stringContaining(`The stored key is for ${url}`)])
    }
    expect(await petstore(['logout'], { env })).toEqual({
      code: 0,
      output: `Logged out. The key is removed from ${file}.\n`,
      errors: '',
    })
    expect((await petstore(['pets', 'get', '1', '--url', url], { env })).code).toBe(3)
    expect((await petstore(['logout'], { env })).output).toBe('No key was stored.\n')
  })

  test('neither an invalid key nor an empty one is stored', async () => {
    using home = newDirectory()
    const env = { XDG_CONFIG_HOME: home.path }
    expect((await petstore(['login', '--url', url], { env, input: 'ps_wrong\n' })).code).toBe(3)
    expect((await petstore(['login', '--url', url], { env, input: '' })).code).toBe(2)
    expect((await petstore(['pets', 'list', '--url', url], { env })).errors).toStartWith('No API key:')
  })

  test('with --json says what is stored, but not the key', async () => {
    using home = newDirectory()
    const env = { XDG_CONFIG_HOME: home.path }
    const file = join(home.path, 'petstore/login.json')
    const login = await petstore(['login', '--url', url, '--json'], { env, input: `${shop.adminSecret}\n` })
    expect(JSON.parse(login.output)).toEqual({ url, keyId: expect.any(Number), plan: 'enterprise', file })
    expect(JSON.parse((await petstore(['logout', '--json'], { env })).output)).toEqual({ file, isStored: false })
  })

  test('a damaged file is reported with a fix; login replaces it, and logout removes it', async () => {
    using home = newDirectory()
    const env = { XDG_CONFIG_HOME: home.path }
    // Also what an interrupted login left.
    for (const name of ['login.json', 'login.json.part']) await Bun.write(join(home.path, 'petstore', name), '{')
    const { code, errors } = await petstore(['pets', 'list'], { env })
    expect([code, errors.includes('Run `petstore login` again')]).toEqual([1, true])
    expect((await petstore(['login'], { env, input: '' })).errors).toStartWith('No key given.')
    expect((await petstore(['login', '--url', url], { env, input: shop.adminSecret })).code).toBe(0)
    expect((await petstore(['pets', 'list'], { env })).code).toBe(0)
    expect((await petstore(['logout', 'now'], { env })).code).toBe(2)
    expect((await petstore(['logout'], { env })).code).toBe(0)
    expect((await petstore(['pets', 'list', '--url', url], { env })).errors).toStartWith('No API key:')
  })
})
