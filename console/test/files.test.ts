import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { petstore } from '../../cli/test/harness/petstore.ts'
import { newDirectory, type Scratch } from '../../server/test/harness/scratch.ts'
import { type Service, startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn } from './harness.ts'

let service: Service
let home: Scratch
const others: Service[] = []
beforeAll(async () => {
  home = newDirectory()
  service = await startService()
  await service.admin.newCategory('Dogs')
  await service.admin.newCategory('Cats')
})
afterAll(async () => {
  for (const each of [service, ...others]) await each.stop()
  home.remove()
})

const count = async () => (await service.admin.get('/pets/counts')).body.total as number

inBrowser('500 lines with 7 bad ones: 493 pets, and each bad line with its fault', async () => {
  const bad: Record<number, string> = {
    3: '{"name":"No category"}',
    60: '{"name":"","categoryId":1}',
    101: 'not json at all',
    102: '{"name":"Odd","categoryId":1,"status":"asleep"}',
    250: '{"name":"Nowhere","categoryId":999}',
    333: '{"name":"Unknown kind","category":"Dragons"}',
    500: '{"name":"Extra","categoryId":1,"colour":"red"}',
  }
  const lines = Array.from({ length: 500 }, (_, index) => {
    const good = index % 2 === 0 ? { name: `Pet ${index}`, categoryId: 1 } : { name: `Pet ${index}`, category: 'cats' }
    return bad[index + 1] ?? JSON.stringify(good)
  })
  const before = await count()
  await using opened = await openSignedIn(service, { path: '/pets?do=import' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const file = { name: 'pets.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(lines.join('\n')) }
  await dialog.getByLabel('File').setInputFiles(file)
  await dialog.getByText('495 pets to register, 5 lines refused.').waitFor()
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('493 registered, 7 refused.').waitFor()
  const report = await dialog.getByRole('table', { name: 'Refused' }).getByRole('row').allInnerTexts()
  expect(report.map((text) => text.split('\t')[0]?.trim())).toEqual(Object.keys(bad).map((line) => `Line ${line}`))
  for (const [index, words] of ['categoryId', 'name', 'JSON', 'status', 'categoryId', 'Dragons', 'colour'].entries()) {
    expect(report[index]).toContain(words)
  }
  expect(await count()).toBe(before + 493)
  expect(faults()).toEqual([])
})

inBrowser(
  'what is exported as CSV or NDJSON is what was asked for, and can be imported again by the command line',
  async () => {
    const names = ['=1+1', 'Comma, "quoted"', "'apostrophe", 'Zoë 🐕']
    for (const name of names) await service.admin.post('/pets', { name: `Out ${name}`, categoryId: 2 })
    await service.admin.post('/pets', { name: '=HYPERLINK("x") Out', categoryId: 2 })
    await using opened = await openSignedIn(service, { path: '/pets?q=Out&do=export' })
    const { page } = opened
    const csv = await download(page, 'CSV')
    expect(csv.split('\n')[0]).toBe('id,name,categoryId,category,status,stock')
    expect(csv).toContain(`"'=HYPERLINK(""x"") Out"`)
    await page.goto(`${service.url}/console/pets?q=Out&do=export`)
    const ndjson = await download(page, 'NDJSON')
    const pets = ndjson
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(pets).toHaveLength(5)
    for (const [name, content] of Object.entries({ 'out.csv': csv, 'out.ndjson': ndjson })) {
      const shop = await emptyShop()
      await importByCommand(shop, name, content)
      expect((await contentsOf(shop)).map(({ name }) => name)).toEqual(pets.map(({ name }) => name))
    }
  },
)

/** Names and numbers that a file could get wrong. */
async function fillShop({ admin }: Service): Promise<void> {
  const categories = ['Cats', '=Dogs, "the\nbest"', "'@Fish"]
  const names = [
    '=1+1',
    "'=1",
    '\t=1',
    '\r=1',
    '@SUM(A1)',
    'Comma, "quoted"',
    '"',
    'two\r\nlines',
    ' spaces ',
    'Zoë 🐕',
  ]
  const statuses = ['available', 'pending', 'sold'] as const
  const ids: number[] = []
  for (const name of categories) ids.push(await admin.newCategory(name))
  for (const [index, name] of [...names, '\uFEFFmark', '\x9b2J\u202e'].entries()) {
    const status = statuses[index % statuses.length]
    const { id } = (await admin.post('/pets', { name, categoryId: ids[index % ids.length] })).body
    await admin.put(`/store/inventory/${id}`, { quantity: 1 + index })
    await admin.patch(`/pets/${id}`, { status })
  }
}

async function emptyShop(): Promise<Service> {
  const shop = await startService()
  others.push(shop)
  return shop
}

/** Everything of each pet that a file carries from one shop to another. */
async function contentsOf({ admin }: Service) {
  const { body } = await admin.get('/pets/profiles?limit=100')
  return (body as { name: string; category: { name: string }; status: string; stock: number }[]).map(
    ({ name, category, status, stock }) => ({ name, category: category.name, status, stock }),
  )
}

async function download(page: Page, format: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: format, exact: true }).click(),
  ])
  return readFileSync(await file.path(), 'utf8')
}

const envOf = ({ url, adminSecret }: Service) => ({ PETSTORE_URL: url, PETSTORE_API_KEY: adminSecret ?? '' })

async function importByCommand(shop: Service, name: string, content: string): Promise<void> {
  const file = join(home.path, name)
  writeFileSync(file, content)
  expect(await petstore(['import', file], { env: envOf(shop) })).toMatchObject({ code: 0, errors: '' })
}

for (const format of ['CSV', 'NDJSON']) {
  const name = `pets.${format.toLowerCase()}`

  inBrowser(`the command line imports the ${format} that the console exports, stock and all`, async () => {
    const [from, to] = [await emptyShop(), await emptyShop()]
    await fillShop(from)
    await using opened = await openSignedIn(from, { path: '/pets?do=export' })
    await importByCommand(to, name, await download(opened.page, format))
    const contents = await contentsOf(from)
    expect(contents).toHaveLength(12)
    expect(await contentsOf(to)).toEqual(contents)
  })

  inBrowser(`the console imports the ${format} that the command line exports, and asks about categories`, async () => {
    const [from, to] = [await emptyShop(), await emptyShop()]
    await fillShop(from)
    await to.admin.newCategory('Cats')
    const { output } = await petstore(['export', '--format', format.toLowerCase()], { env: envOf(from) })
    await using opened = await openSignedIn(to, { path: '/pets?do=import' })
    const dialog = opened.page.getByRole('dialog', { name: 'Import pets' })
    const file = { name, mimeType: 'text/plain', buffer: Buffer.from(`\uFEFF${output}`) }
    await dialog.getByLabel('File').setInputFiles(file)
    await dialog.getByText('12 pets to register.').waitFor()
    await dialog.getByRole('checkbox', { name: /Create the missing categories: =Dogs.*, '@Fish/s }).check()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('12 registered, 0 refused.').waitFor()
    expect(await contentsOf(to)).toEqual(await contentsOf(from))
    expect((await to.admin.get('/categories?limit=100')).body).toHaveLength(3)
    expect(opened.faults()).toEqual([])
  })
}

inBrowser('a file with an unknown column is refused as a whole', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=import' })
  const dialog = opened.page.getByRole('dialog', { name: 'Import pets' })
  const file = { name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from('name,colour\nRex,red\n') }
  await dialog.getByLabel('File').setInputFiles(file)
  await dialog.getByText('Unknown: "colour".').waitFor()
  expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
})
