import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Report as ServerReport } from '../../judge/src/report.ts'
import type { RecordedRequest as ServerRequest } from '../../server/src/sandbox/recorded.ts'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import { debianProgram } from '../../server/test/harness/run/debian-program.ts'
import { parseSeconds } from '../src/testing/duration.ts'
import { type RecordedRequest, type Report, startSandbox } from '../src/testing/index.ts'

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
const newShop = (options = {}) => startSandbox({ host: host.url, ...options })
const examples = join(import.meta.dir, '../../server/src/shop/guides/testing')
afterAll(() => host.stop())

/** Whether types are the same, optional fields included. */
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

// The SDK depends on no other package, so it declares these types again.
test('the types are those of the service', () => {
  const isSame: [request: IsSame<RecordedRequest, ServerRequest>, report: IsSame<Report, ServerReport>] = [true, true]
  expect(isSame).toEqual([true, true])
})

test('a shop fails as it is told to, and shows what it received', async () => {
  const shop = await newShop()
  await shop.fail('getPetProfile', 'pet_not_found', { times: 1 })
  await shop.fail({ method: 'GET', path: '/categories' }, 'internal_error')
  const petstore = shop.client({ attemptsMax: 1 })
  await expect(petstore.pets.profile(1)).rejects.toMatchObject({ code: 'pet_not_found' })
  expect((await petstore.pets.profile(1)).name).toBe('Rex')
  await expect(petstore.categories.list().firstPage()).rejects.toMatchObject({ status: 500 })
  expect((await shop.requests()).map(({ target, status, fault }) => [target, status, fault])).toEqual([
    ['/categories', 500, 'internal_error'],
    ['/pets/1/profile', 200, undefined],
    ['/pets/1/profile', 404, 'pet_not_found'],
  ])
  await shop.heal()
  expect(await shop.faults()).toEqual([])
  expect((await petstore.categories.list().firstPage()).items.length).toBeGreaterThan(0)
})

test('faults that were used up leave room for others', async () => {
  const shop = await newShop()
  const petstore = shop.client({ attemptsMax: 1 })
  for (let times = 0; times < 51; times++) {
    await shop.fail('getPetProfile', 'pet_not_found', { times: 1 })
    await expect(petstore.pets.profile(1)).rejects.toMatchObject({ code: 'pet_not_found' })
  }
  expect(await shop.faults()).toMatchObject([{ times: 0 }])
})

test('faults that are set together are all set, also after one that was rejected', async () => {
  const shop = await newShop()
  const rejected = shop.fail('flyToTheMoon', 'unavailable')
  await Promise.all([
    expect(rejected).rejects.toThrow('/rules/0/operation'),
    shop.fail('listPets', 'unavailable'),
    shop.fail('createPet', 'unavailable'),
  ])
  expect((await shop.faults()).map(({ operation }) => operation)).toEqual(['listPets', 'createPet'])
  await Promise.all([shop.fail('placeOrder', 'unavailable'), shop.heal()])
  expect(await shop.faults()).toEqual([])
})

test('the clock stands still, moves ahead, and runs again', async () => {
  const shop = await newShop()
  const { at, frozen } = await shop.freeze()
  expect(frozen).toBe(true)
  const later = Date.parse(at) + 90_000
  expect(await shop.advance('1 minute 30 seconds')).toEqual({ at: new Date(later).toISOString(), frozen: true })
  const set = new Date(later + 3_600_000)
  expect((await shop.setTime(set)).at).toBe(set.toISOString())
  expect((await shop.freeze(false)).frozen).toBe(false)
})

test('a reset restores the initial state, and the same seed is the same shop', async () => {
  const [shop, twin] = [await newShop({ seed: 'twin' }), await newShop({ seed: 'twin' })]
  expect(twin.apiKey).toBe(shop.apiKey)
  await shop.client().pets.delete(1)
  await shop.fail('listPets', 'unavailable')
  await shop.reset()
  expect([await shop.requests(), await shop.faults()]).toEqual([[], []])
  expect((await shop.client().pets.profile(1)).name).toBe('Rex')
  await shop.end()
  await expect(shop.requests()).rejects.toThrow('sandbox_not_found')
})

test('a reset with another seed gives another shop, whose key is known', async () => {
  const [shop, other] = [await newShop({ seed: 'one' }), await newShop({ seed: 'two' })]
  await shop.reset({ seed: 'two' })
  expect([shop.seed, shop.apiKey]).toEqual(['two', other.apiKey])
  expect((await shop.client().pets.profile(1)).name).toBe('Rex')
})

test('a shop goes back to a snapshot, key included', async () => {
  const shop = await startSandbox({ host: host.url, seed: 'kept' })
  const { apiKey } = shop
  const { id: kept } = await shop.client().categories.create({ name: 'Owls' })
  const snapshot = await shop.snapshot()
  await shop.reset({ seed: 'other' })
  expect(shop.apiKey).not.toBe(apiKey)
  await shop.restore(snapshot)
  expect([shop.seed, shop.apiKey]).toEqual(['kept', apiKey])
  expect((await shop.client().categories.get(kept)).name).toBe('Owls')
  expect(await shop.snapshots()).toEqual([snapshot])
  await shop.deleteSnapshot(snapshot)
  expect(await shop.snapshots()).toEqual([])
})

test('durations are read, and nonsense is rejected', () => {
  const texts = ['90 seconds', '1 day', '2 hours 30 minutes', '1.5 h', '2w']
  expect(texts.map(parseSeconds)).toEqual([90, 86_400, 9_000, 5_400, 1_209_600])
  for (const text of ['', 'soon', '5', '5 parsecs', '1 day!', '-1 day'])
    expect(() => parseSeconds(text)).toThrow(TypeError)
})

const pytest = debianProgram('pytest-3', ['python3-pytest'])
test.skipIf(pytest === undefined)(
  'the guide’s example for pytest passes, and says what to run if there is no host',
  async () => {
    const runWith = async (hostUrl: string) => {
      const child = Bun.spawn([pytest ?? '', '-p', 'no:cacheprovider', 'test_orders.py'], {
        cwd: examples,
        env: { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1', PETSTORE_SANDBOX_URL: hostUrl },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return [code, output + errors]
    }
    expect(await runWith(host.url)).toEqual([0, expect.stringContaining('2 passed')])
    // Nothing can listen on port 0.
    expect(await runWith('http://127.0.0.1:0')).toEqual([1, expect.stringContaining('Run `petstore sandbox`')])
  },
)
