import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { petstore } from '../../cli/test/harness/petstore.ts'
import { newDirectory, type Scratch } from '../../server/test/harness/scratch.ts'
import { type Service, startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, passTimeUntil, stopClock } from './harness.ts'

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
  await chooseFile(dialog, 'pets.ndjson', lines.join('\n'))
  await dialog.getByText('494 pets to create, 6 lines rejected.').waitFor()
  await dialog.getByRole('checkbox', { name: 'Create 1 missing category: Dragons' }).uncheck()
  await dialog.getByText('493 pets to create, 7 lines rejected.').waitFor()
  const rejected = () => dialog.getByRole('table', { name: 'Rejected' }).getByRole('row').allInnerTexts()
  const report = await rejected()
  expect(report.map((text) => text.split('\t')[0]?.trim())).toEqual(Object.keys(bad).map((line) => `Line ${line}`))
  expect(await count()).toBe(before)
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('493 created, 7 rejected.').waitFor()
  expect(await rejected()).toEqual(report)
  for (const [index, words] of ['categoryId', 'name', 'JSON', 'status', 'categoryId', 'Dragons', 'colour'].entries()) {
    expect(report[index]).toContain(words)
  }
  expect(await count()).toBe(before + 493)

  // The rejected lines are a file with the faults, which can be imported once it is corrected.
  const rejectedFile = await download(page, 'Save rejected lines')
  expect(rejectedFile.trimEnd().split('\n')).toHaveLength(7)
  const corrected = rejectedFile.replace('"categoryId":999,', '"categoryId":2,').replace('"status":"asleep",', '')
  await page.goto(`${service.url}/console/pets?do=import`)
  await chooseFile(dialog, 'pets-rejected.ndjson', corrected)
  await dialog.getByText('3 pets to create, 4 lines rejected.').waitFor()
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('3 created, 4 rejected.').waitFor()
  expect(await count()).toBe(before + 496)
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
    // A cancelled export reads no further.
    await page.goto(`${service.url}/console/pets?q=Out&do=export`)
    const { promise: responded, resolve: response } = Promise.withResolvers<void>()
    await page.route(/\/pets\/profiles\?.*limit=100/, (route) =>
      responded.then(() => route.continue()).catch(() => undefined),
    )
    const asked = page.waitForRequest(/\/pets\/profiles\?.*limit=100/)
    await page.getByRole('button', { name: 'CSV' }).click()
    const request = await asked
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    response()
    expect(await request.response()).toBeNull()
    for (const [name, content] of Object.entries({ 'out.csv': csv, 'out.ndjson': ndjson })) {
      const shop = await emptyShop()
      await importByCommand(shop, name, content)
      expect((await contentsOf(shop)).map(({ name }) => name)).toEqual(pets.map(({ name }) => name))
    }
  },
)

/** Names and numbers that a file could get wrong. */
async function fillShop({ admin }: Service): Promise<void> {
  const categories = ['Cats', '=Dogs, "the best"', "'@Fish"]
  const names = ['=1+1', '+1', '-1', "''@x", "'=1", '@SUM(A1)', 'Comma, "quoted"', '"', 'two  spaces', 'Zoë 🐕']
  const statuses = ['available', 'pending', 'sold'] as const
  const ids: number[] = []
  for (const name of categories) ids.push(await admin.newCategory(name))
  for (const [index, name] of [...names, 'x\uFEFFmark', 'x\u202e'].entries()) {
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

const chooseFile = (dialog: Locator, name: string, content: string): Promise<void> =>
  dialog.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

async function download(page: Page, format: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: format, exact: true }).click(),
  ])
  return readFileSync(await file.path(), 'utf8')
}

inBrowser('an export that failed says so, and can be started again', async () => {
  const shop = await emptyShop()
  await fillShop(shop)
  await using opened = await openSignedIn(shop, { path: '/pets?do=export' })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Export pets' })
  let isBroken = true
  await page.route(/\/pets\/profiles\?.*limit=100/, (route) =>
    isBroken ? route.fulfill({ status: 400, body: '{}' }) : route.continue(),
  )
  await dialog.getByRole('button', { name: 'CSV' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByRole('progressbar').count()).toBe(0)
  isBroken = false
  await download(page, 'CSV')
  await dialog.getByText('12 pets exported.').waitFor()
})

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
    await chooseFile(dialog, name, `\uFEFF${output}`)
    await dialog.getByRole('checkbox', { name: /Create 2 missing categories: =Dogs.*, '@Fish/s }).waitFor()
    await dialog.getByText('12 pets to create.').waitFor()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('12 created, 0 rejected.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save rejected lines' }).count()).toBe(0)
    expect(await contentsOf(to)).toEqual(await contentsOf(from))
    expect((await to.admin.get('/categories?limit=100')).body).toHaveLength(3)
    expect(opened.faults()).toEqual([])
  })
}

const fileShop = async (): Promise<Service> => {
  const shop = await emptyShop()
  await shop.admin.newCategory('Dogs')
  return shop
}

inBrowser('the columns of any CSV file are matched with what they hold, by keyboard', async () => {
  const shop = await fileShop()
  await using opened = await openSignedIn(shop, { path: '/pets?do=import' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const rows = ['Animal,Notes,Which,On hand', 'Rex,barks,dogs,3', 'Tom,purrs,Cats,0', 'Jerry,squeaks,Mice,many']
  await chooseFile(dialog, 'list.csv', rows.join('\r\n'))
  await dialog.getByText('0 pets to create, 3 lines rejected.').waitFor()
  const columns = dialog.getByRole('table', { name: 'Columns' })
  expect(await columns.getByRole('row', { name: 'On hand' }).locator('td').first().innerText()).toBe('3 · 0 · many')
  const fields = () =>
    columns.locator('select').evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value))
  expect(await fields()).toEqual(['name', '', '', 'stock'])
  await columns.getByLabel('Import Which as').focus()
  for (let options = 0; options < 10 && (await fields())[2] !== 'category'; options++)
    await page.keyboard.press('ArrowDown')
  await dialog.getByText('2 pets to create, 1 line rejected.').waitFor()
  expect(await fields()).toEqual(['name', '', 'category', 'stock'])
  await dialog.getByText('Create 1 missing category: Cats').waitFor()
  await dialog.getByText('Takes 6 of your requests.').waitFor()
  await dialog.getByText('stock: must be a whole number from 0 to 1000000000').waitFor()
  expect((await shop.admin.get('/categories')).body).toHaveLength(1)
  await dialog.getByRole('button', { name: 'Import', exact: true }).press('Enter')
  await dialog.getByText('2 created, 1 rejected.').waitFor()
  expect(await contentsOf(shop)).toEqual([
    { name: 'Rex', category: 'Dogs', status: 'available', stock: 3 },
    { name: 'Tom', category: 'Cats', status: 'sold', stock: 0 },
  ])
  expect(await download(page, 'Save rejected lines')).toBe(
    'Animal,Notes,Which,On hand,fault\nJerry,squeaks,Mice,many,stock: must be a whole number from 0 to 1000000000\n',
  )
  expect(faults()).toEqual([])
})

inBrowser('a file whose columns hold no name is not imported, and says so', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=import' })
  const dialog = opened.page.getByRole('dialog', { name: 'Import pets' })
  await chooseFile(dialog, 'odd.csv', `colour,category\n${'red,Dogs\n'.repeat(200)}`)
  await dialog.getByText('No column holds the name.').waitFor()
  const button = dialog.getByRole('button', { name: 'Import', exact: true })
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByLabel('Import colour as').selectOption('Name')
  await dialog.getByText('200 pets to create.').waitFor()
  expect(await button.isDisabled()).toBe(false)
  // All of 200 rejected lines are shown.
  await dialog.getByLabel('Import category as').selectOption('')
  await dialog.getByText('200 lines rejected').waitFor()
  expect(await dialog.getByText('more, in the file').count()).toBe(0)
})

inBrowser('an import that was interrupted goes on where it stopped, and registers no pet twice', async () => {
  const shop = await fileShop()
  const staff = await shop.newClient({ preset: 'staff', plan: 'business' })
  const { scopes } = (await shop.admin.get(`/keys/${staff.keyId}`)).body as { scopes: string[] }
  const allow = (allowed: string[]) => shop.admin.patch(`/keys/${staff.keyId}`, { scopes: allowed })
  await using opened = await openSignedIn(shop, { path: '/pets?do=import', secret: staff.secret })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const lines = Array.from({ length: 250 }, (_, index) => `Pet ${index},Dogs,${index % 3}`)
  await chooseFile(dialog, 'many.csv', `name,category,stock\n${lines.join('\n')}`)
  await dialog.getByText('250 pets to create.').waitFor()
  let batches = 0
  await page.route('**/pets/batch', async (route) => {
    if (++batches === 2) await allow(scopes.filter((scope) => scope !== 'pets:write'))
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('100 created, 0 rejected, stopped after line 101.').waitFor()
  await dialog.getByText('Your key lacks the scope for this').waitFor()
  await allow(scopes)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('250 created, 0 rejected.').waitFor()
  expect((await shop.admin.get('/pets/counts')).body.total).toBe(250)
  const { body: last } = await shop.admin.get('/pets/profiles?q=Pet%20248')
  expect(last.map(({ name, stock }: { name: string; stock: number }) => [name, stock])).toEqual([['Pet 248', 2]])
})

inBrowser('a file with semicolons and European numbers is imported as a spreadsheet wrote it', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=import' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const lines = ['Name;Art;Bestand', '"Semikolon; klein";Dogs;1.200,00', 'Komma, groß;Cats;2,0', 'Halb;Cats;1,5']
  await chooseFile(dialog, 'bestand.csv', `\uFEFF${lines.join('\r\n')}\r\n`)
  await dialog.getByLabel('Import Art as').selectOption('category')
  await dialog.getByLabel('Import Bestand as').selectOption('stock')
  await dialog.getByText('2 pets to create, 1 line rejected.').waitFor()
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('2 created, 1 rejected.').waitFor()
  const stockOf = async (name: string) =>
    (await service.admin.get(`/pets/profiles?q=${encodeURIComponent(name)}`)).body[0].stock
  expect([await stockOf('Semikolon; klein'), await stockOf('Komma, groß')]).toEqual([1_200, 2])
  expect(faults()).toEqual([])
})

inBrowser('a file with tabs, as copied from a spreadsheet, is imported', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=import' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const lines = [
    'name\tcategory\tstock',
    'Tab, with a comma; and more\tDogs\t3',
    '"Tab ""quoted"""\tCats\t4,00',
    // Ambiguous: a thousand, or one.
    'Tab unclear\tCats\t1,000',
  ]
  await chooseFile(dialog, 'copied.csv', lines.join('\n'))
  await dialog.getByText('2 pets to create, 1 line rejected.').waitFor()
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('2 created, 1 rejected.').waitFor()
  const { body } = await service.admin.get('/pets/profiles?q=Tab')
  expect(body.map(({ name, stock }: { name: string; stock: number }) => [name, stock])).toEqual([
    ['Tab, with a comma; and more', 3],
    ['Tab "quoted"', 4],
  ])
  expect(faults()).toEqual([])
})

inBrowser('an import says what it costs, and leaves a tenth of the minute for the user', async () => {
  const shop = await fileShop()
  const staff = await shop.newClient({ preset: 'staff', plan: 'free' })
  await using opened = await openSignedIn(shop, { path: '/pets?do=import', secret: staff.secret })
  const { page } = opened
  /** The requests left in the minute after each batch. */
  const left: number[] = []
  page.on('response', (response) => {
    const [, remaining] = /"minute";r=(\d+)/.exec(response.headers().ratelimit ?? '') ?? []
    if (response.url().endsWith('/pets/batch')) left.push(response.ok() ? Number(remaining) : -1)
  })
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const lines = Array.from({ length: 70 }, (_, index) => `Pet ${index},Dogs`)
  await chooseFile(dialog, 'many.csv', `name,category\n${lines.join('\n')}`)
  await dialog.getByText('Takes 71 of your requests, about 2 minutes at 54 a minute.').waitFor()
  await dialog.getByText('sign in with a separate key').waitFor()
  await stopClock(page)
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  const result = dialog.getByText('70 created, 0 rejected.')
  await passTimeUntil(page, shop, () => result.isVisible())
  expect(left.length).toBeGreaterThanOrEqual(7)
  expect(Math.min(...left)).toBeGreaterThanOrEqual(6)
})
