import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { descriptionLengthMax, nameLengthMax, statuses, stockMax } from '@petstore/sdk/pet-files'
import { hostileNames } from '../../sdk/test/hostile-names.ts'
import { call, type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { newDirectory, type Scratch } from '../../server/test/harness/scratch.ts'
import { inShell } from './harness/in-shell.ts'
import { petAt, writePets } from './harness/pets-file.ts'
import { petstore } from './harness/petstore.ts'
import { roomyKey } from './harness/roomy-key.ts'

// Import and export over the real service, on the engine under test.

let home: Scratch
const shops: Nodes[] = []
beforeAll(() => {
  home = newDirectory()
})
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop.stop()))
  home.remove()
})

const at = (name: string) => join(home.path, name)

/** A new shop, and how commands reach it. */
async function newShop(sample = 'false') {
  const shop = await startNodes(1, { SAMPLE_DATA: sample })
  shops.push(shop)
  const url = shop.nodes[0]?.url ?? ''
  const key = await roomyKey(url, shop.adminSecret)
  const { keyId } = (await call(url, key, 'GET', '/limits')).body
  return { url, key, keyId, env: { PETSTORE_URL: url, PETSTORE_API_KEY: key } }
}
type Shop = Awaited<ReturnType<typeof newShop>>

const run = ({ env }: Shop, ...words: string[]) => petstore(words, { env })
const total = async ({ url, key }: Shop) => (await call(url, key, 'GET', '/pets/counts')).body.total

async function exportShop(shop: Shop, format: string): Promise<string> {
  const { code, output } = await run(shop, 'export', '--format', format)
  expect(code).toBe(0)
  return output
}

describe('a shop that is exported and imported into an empty database', () => {
  let first: Shop
  let second: Shop
  beforeAll(async () => {
    first = await newShop('true')
    second = await newShop()
    // Two categories with the same name, one without pets, hostile names, and every kind of status set by hand.
    const post = async (path: string, body: object) => (await call(first.url, first.key, 'POST', path, body)).body
    const twin = await post('/categories', { name: 'Dogs', description: 'The other "dogs",\nwith a comma' })
    await post('/categories', { name: 'Empty ✓' })
    for (const name of [' "quoted", comma', '"two" lines', '=SUM(1)', 'Ünï ✓ 🐕', "it's"]) {
      await post('/pets', { name, categoryId: twin.id, status: 'pending' })
    }
    const held = await post('/pets', { name: 'Held as sold', categoryId: twin.id })
    await call(first.url, first.key, 'PUT', `/store/inventory/${held.id}`, { quantity: 7 })
    await call(first.url, first.key, 'PATCH', `/pets/${held.id}`, { status: 'sold' })
    const ordered = await post('/pets', { name: 'Ordered', categoryId: 1 })
    await post('/store/orders', { petId: ordered.id })
    const deleted = await post('/pets', { name: 'Gone', categoryId: 1 })
    await call(first.url, first.key, 'DELETE', `/pets/${deleted.id}`)
  })

  test('gives the same bytes again as NDJSON', async () => {
    const before = await run(first, 'export', at('shop.ndjson'))
    expect([before.code, /^Wrote \d+ pets/.test(before.output)]).toEqual([0, true])
    const bytes = readFileSync(at('shop.ndjson'), 'utf8')
    expect(bytes).toContain(
      '{"kind":"pet","name":"Held as sold","category":"Dogs","categoryNumber":2,"status":"sold","stock":7}',
    )
    expect(bytes).toContain('"name":"Ordered","category":"Dogs","status":"pending","stock":0}')
    const done = await run(second, 'import', at('shop.ndjson'))
    expect([done.code, done.errors]).toEqual([0, ''])
    expect(existsSync(at('shop.ndjson.progress'))).toBe(false)
    expect(await exportShop(second, 'ndjson')).toBe(bytes)
  })

  test('gives the same bytes again as CSV', async () => {
    const bytes = await exportShop(second, 'csv')
    expect(bytes).toStartWith('name,category,status,stock\n')
    writeFileSync(at('shop.csv'), bytes)
    const third = await newShop()
    expect(await run(third, 'import', at('shop.csv'))).toMatchObject({ code: 0, errors: '' })
    expect(await exportShop(third, 'csv')).toBe(bytes)
  })

  test('has no formula for a spreadsheet in CSV, and every name is the same after an import', async () => {
    // Those that the service accepts, as it stores them.
    const names = [...hostileNames.filter((name) => !/\p{Cc}/u.test(name)), 'x\u202e'].map((name) => name.trim())
    const from = await newShop()
    const { body: category } = await call(from.url, from.key, 'POST', '/categories', { name: '=Cats' })
    for (const name of names) await call(from.url, from.key, 'POST', '/pets', { name, categoryId: category.id })
    const bytes = await exportShop(from, 'csv')
    expect(bytes).not.toMatch(/(^|,|\n)"?[=+\-@\t\r]/)
    writeFileSync(at('formulas.csv'), bytes)
    const to = await newShop()
    expect(await run(to, 'import', at('formulas.csv'))).toMatchObject({ code: 0, errors: '' })
    const { body: pets } = await call(to.url, to.key, 'GET', '/pets/profiles?limit=100')
    expect(pets.map((pet: { name: string }) => pet.name)).toEqual(names)
    expect(new Set(pets.map((pet: { category: { name: string } }) => pet.category.name))).toEqual(new Set(['=Cats']))
  })

  test('an export overwrites nothing without --overwrite, and counts in a dry run', async () => {
    writeFileSync(at('mine.ndjson'), 'mine')
    expect((await run(first, 'export', at('mine.ndjson'))).code).toBe(2)
    expect(readFileSync(at('mine.ndjson'), 'utf8')).toBe('mine')
    const replaced = await run(first, 'export', at('mine.ndjson'), '--overwrite', '--json')
    const facts = { dryRun: false, pets: await total(first), file: at('mine.ndjson'), format: 'ndjson' }
    expect(JSON.parse(replaced.output)).toEqual(facts)
    const dry = await run(first, 'export', at('never.ndjson'), '--dry-run', '--json')
    expect([JSON.parse(dry.output), existsSync(at('never.ndjson'))]).toEqual([
      { dryRun: true, pets: await total(first) },
      false,
    ])
  })
})

// How a file is read does not depend on the engine, so one pass is enough.
describe.if(process.env.TEST_ENGINE !== 'postgres')('an import', () => {
  test('of 2,000 pets loses none, reports its result, and is not done twice by mistake', async () => {
    const shop = await newShop()
    await writePets(at('many.ndjson'), 2_000)
    const done = await run(shop, 'import', at('many.ndjson'), '--json')
    expect(JSON.parse(done.output)).toEqual({ dryRun: false, pets: 2_000, categories: 7, rejected: 0, rejections: [] })
    const lines = (await exportShop(shop, 'ndjson')).trimEnd().split('\n').slice(7)
    expect(lines).toEqual(Array.from({ length: 2_000 }, (_, index) => JSON.stringify(petAt(index))))

    const twice = await run(shop, 'import', at('many.ndjson'))
    expect([twice.code, twice.errors.includes('was imported before')]).toEqual([1, true])
    expect(await total(shop)).toBe(2_000)
    expect(existsSync(at('many.ndjson.progress'))).toBe(false)
    // A continued import may repeat the batch that was interrupted, and no other.
    const goOn = (name: string) => {
      const digest = new Bun.CryptoHasher('sha256').update(readFileSync(at(name))).digest('hex')
      const counts = { pets: 0, categories: 0, rejected: 0 }
      const progress = { url: shop.url, keyId: shop.keyId, digest, run: 'first', line: 0, counts, savedAt: Date.now() }
      writeFileSync(at(`${name}.progress`), JSON.stringify(progress))
      return run(shop, 'import', at(name))
    }
    const continued = await goOn('many.ndjson')
    expect([continued.code, continued.errors.includes('was imported before')]).toEqual([1, true])
    expect(await total(shop)).toBe(2_000)

    writeFileSync(at('few.ndjson'), `${JSON.stringify(petAt(1))}\n`)
    for (const words of [[], ['--again'], ['--from-line', '1'], ['--from-line', '2']]) {
      expect((await run(shop, 'import', at('few.ndjson'), ...words)).code).toBe(0)
    }
    expect(await goOn('few.ndjson')).toMatchObject({ code: 0, output: expect.stringContaining('Imported 1 pet;') })
    expect(await total(shop)).toBe(2_003)
  })

  test('reports every rejected line by its number and registers all others', async () => {
    const shop = await newShop()
    const good = (name: string) => JSON.stringify({ name, category: 'Fish' })
    const lines = [
      good('One'),
      'no json',
      '',
      good(' '),
      '{"name":"Two","category":"Fish","colour":"red"}',
      '{"name":"Three","categoryId":999999}',
      '{"name":"\\u0000","category":"Fish"}',
      '{"name":"Four","category":"Fish","status":"available","stock":0}',
      ...Array.from({ length: 120 }, (_, index) => good(`More ${index}`)),
      '{"name":"Late \\u0000","category":"Fish"}',
      '[]',
      good('Last'),
    ]
    writeFileSync(at('faulty.ndjson'), lines.join('\n'))
    const dry = await run(shop, 'import', at('faulty.ndjson'), '--dry-run', '--json')
    expect([dry.code, JSON.parse(dry.output).pets, await total(shop)]).toEqual([1, 122, 0])
    const done = await run(shop, 'import', at('faulty.ndjson'), '--report', at('rejected.ndjson'))
    expect([done.code, done.output]).toEqual([1, 'Imported 122 pets; new: 1 category; rejected: 8 lines.\n'])
    const rejected = readFileSync(at('rejected.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rejected.map(({ line }) => line)).toEqual([2, 4, 5, 6, 7, 8, 129, 130])
    expect(rejected[2].message).toBe('colour: is not a known field')
    expect(rejected[3].message).toBe('categoryId: there is no category 999999')
    expect(rejected[1].text).toBe(lines[3])
    // The dry run finds every fault that the import finds.
    expect(JSON.parse(dry.output).rejections).toEqual(rejected)
    expect(done.errors).toContain('line 2: is not valid JSON\n')
    expect(await total(shop)).toBe(122)

    // The file is done: importing it again changes nothing, not even its report.
    const report = readFileSync(at('rejected.ndjson'), 'utf8')
    const again = await run(shop, 'import', at('faulty.ndjson'), '--report', at('rejected.ndjson'))
    expect([again.code, again.errors]).toEqual([1, expect.stringContaining('was imported before')])
    expect(readFileSync(at('rejected.ndjson'), 'utf8')).toBe(report)
    expect(existsSync(at('rejected.ndjson.part'))).toBe(false)
  })

  test('of CSV with other column names is told what they hold', async () => {
    const shop = await newShop()
    writeFileSync(at('list.csv'), 'Animal,Species,Notes,Qty\nRex,Dogs,barks,3\nTom,Cats,,0\n')
    const done = await run(shop, 'import', at('list.csv'), '--columns', 'name,category,-,stock')
    expect([done.code, done.output]).toEqual([0, 'Imported 2 pets; new: 2 categories; rejected: 0 lines.\n'])
    expect(await exportShop(shop, 'csv')).toBe('name,category,status,stock\nRex,Dogs,available,3\nTom,Cats,sold,0\n')
    const rejections = {
      'name,category': 'The file has 4 columns, but 2 are named.',
      'name,-,-,name': 'Two columns hold the name.',
      '-,category,-,stock': 'No column holds the name.',
      'name,category,-,colour': 'There is no such field: colour.',
    }
    for (const [columns, message] of Object.entries(rejections)) {
      const rejected = await run(shop, 'import', at('list.csv'), '--dry-run', `--columns=${columns}`)
      expect([rejected.code, rejected.errors.includes(message)]).toEqual([1, true])
    }
  })

  test('of CSV names unknown columns, and rows that do not fit', async () => {
    const shop = await newShop()
    writeFileSync(at('odd.csv'), 'name,colour\nRex,red\n')
    const odd = await run(shop, 'import', at('odd.csv'))
    expect([odd.code, odd.errors.includes('Unknown: "colour"')]).toEqual([1, true])
    const rows = [
      'category,name,stock',
      'Dogs,"Rex, the ""first""",2',
      'Dogs',
      'Dogs,"a"b,1',
      'Dogs,Bello,x',
      '"Dogs","Two, too",',
      '',
    ]
    writeFileSync(at('rows.csv'), `\uFEFF${rows.join('\r\n')}`)
    const done = await run(shop, 'import', at('rows.csv'), '--json')
    const { pets, rejections } = JSON.parse(done.output)
    expect([pets, rejections.map(({ line }: { line: number }) => line)]).toEqual([2, [3, 4, 5]])
    expect(await exportShop(shop, 'csv')).toBe(
      'name,category,status,stock\n"Rex, the ""first""",Dogs,available,2\n"Two, too",Dogs,available,1\n',
    )
  })

  test('of a file with ids takes the category by its name, and by its id only if the name fits', async () => {
    const shop = await newShop()
    for (const name of ['Dogs', 'Dogs', 'Cats']) await call(shop.url, shop.key, 'POST', '/categories', { name })
    const rows = [
      'id,name,categoryId,category,status,stock',
      '7,Twin,2,Dogs,available,3',
      '8,Moved,1,Cats,pending,2',
      '9,New,99,Fish,sold,0',
      '10,By id,3,,available,1',
    ]
    writeFileSync(at('ids.csv'), rows.join('\n'))
    expect(await run(shop, 'import', at('ids.csv'))).toMatchObject({ code: 0, errors: '' })
    const { body: pets } = await call(shop.url, shop.key, 'GET', '/pets/profiles?limit=100')
    expect(
      pets.map(({ name, categoryId, status, stock }: Record<string, unknown>) => [name, categoryId, status, stock]),
    ).toEqual([
      ['Twin', 2, 'available', 3],
      ['Moved', 3, 'pending', 2],
      ['New', 4, 'sold', 0],
      ['By id', 3, 'available', 1],
    ])
  })

  test('reads standard input, and reports what is missing', async () => {
    const shop = await newShop()
    const input = `${JSON.stringify(petAt(1))}\n`
    expect((await petstore(['import', '-'], { env: shop.env, input })).code).toBe(0)
    expect((await run(shop, 'import', at('nothing.ndjson'))).code).toBe(2)
    expect((await run(shop, 'import', at('few.ndjson'), '--format', 'xml')).code).toBe(2)
    expect((await petstore(['export'], { env: { PETSTORE_URL: shop.url } })).code).toBe(3)
  })

  test('reads a pipe that has a name, once, and rejects a directory', async () => {
    const shop = await newShop()
    const pipe = `printf '{"name":"Piped","category":"Fish"}' | "$@"`
    const done = await inShell(pipe, ['import', '/dev/stdin'], shop.env)
    expect([done.code, done.output]).toEqual([0, 'Imported 1 pet; new: 1 category; rejected: 0 lines.\n'])
    expect(await total(shop)).toBe(1)
    const rejected = await run(shop, 'import', home.path)
    expect([rejected.code, rejected.errors]).toEqual([2, expect.stringContaining('is a directory')])
  })

  test('does not continue with a changed file, at another service, or after the service has forgotten', async () => {
    const shop = await newShop()
    const file = at('changed.ndjson')
    await writePets(file, 3)
    const digest = new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
    const counts = { pets: 1, categories: 1, rejected: 0 }
    const progress = { url: shop.url, keyId: shop.keyId, digest, run: 'first', line: 1, counts, savedAt: Date.now() }
    const resume = async (change: object) => {
      writeFileSync(`${file}.progress`, JSON.stringify({ ...progress, ...change }))
      return run(shop, 'import', file)
    }
    expect((await resume({ digest: 'other' })).errors).toContain('--from-line 2')
    expect((await resume({ url: 'http://other' })).errors).toContain('was started at http://other')
    expect((await resume({ savedAt: Date.now() - 24 * 3_600_000 })).errors).toContain('more than 23 hours ago')
    expect(await total(shop)).toBe(0)
    // Its report goes on after the lines that were rejected before.
    writeFileSync(at('changed.report.part'), '{"line":1,"message":"before"}\n')
    writeFileSync(`${file}.progress`, JSON.stringify(progress))
    const resumed = await run(shop, 'import', file, '--report', at('changed.report'))
    expect(readFileSync(at('changed.report'), 'utf8')).toBe('{"line":1,"message":"before"}\n')
    expect([resumed.code, resumed.errors]).toEqual([0, 'Continuing after line 1.\n'])
    expect([resumed.output, await total(shop)]).toEqual(['Imported 3 pets; new: 3 categories; rejected: 0 lines.\n', 2])
  })
})

test('a pet file is checked by the bounds of the description', () => {
  const { schemas } = JSON.parse(readFileSync(join(import.meta.dir, '../../openapi.json'), 'utf8')).components
  expect(schemas.NewPet.properties.name.maxLength).toBe(nameLengthMax)
  expect(schemas.NewCategory.properties.description.maxLength).toBe(descriptionLengthMax)
  expect(schemas.PetStatus.enum).toEqual(statuses)
  expect(schemas.InventoryUpdate.properties.quantity.maximum).toBe(stockMax)
})
