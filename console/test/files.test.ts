import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Service, startService } from '../../server/test/harness/service.ts'
import { csvLine, parseCsv } from '../src/files/csv.ts'
import { readPets } from '../src/files/read-pets.ts'
import { inBrowser, signedIn } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.admin.newCategory('Dogs')
  await service.admin.newCategory('Cats')
})
afterAll(() => service.stop())

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
  await using seen = await signedIn(service, { path: '/pets?do=import' })
  const { page, faults } = seen
  const dialog = page.getByRole('dialog', { name: 'Import pets' })
  const file = { name: 'pets.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(lines.join('\n')) }
  await dialog.getByLabel('File').setInputFiles(file)
  await dialog.getByText('499 pets to register, 1 lines that cannot be read.').waitFor()
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

inBrowser('what is exported as CSV or NDJSON is what was asked for, and can be imported again', async () => {
  const names = ['=1+1', 'Comma, "quoted"', "'apostrophe", 'Zoë 🐕']
  for (const name of names) await service.admin.post('/pets', { name: `Out ${name}`, categoryId: 2 })
  await service.admin.post('/pets', { name: '=HYPERLINK("x") Out', categoryId: 2 })
  await using seen = await signedIn(service, { path: '/pets?q=Out&do=export' })
  const { page } = seen
  const exported = async (format: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: format, exact: true }).click(),
    ])
    return readFileSync(await download.path(), 'utf8')
  }
  const csv = await exported('CSV')
  expect(csv.split('\r\n')[0]).toBe('id,name,categoryId,category,status,stock')
  expect(csv).toContain(`"'=HYPERLINK(""x"") Out"`)
  await page.goto(`${service.url}/console/pets?q=Out&do=export`)
  const ndjson = await exported('NDJSON')
  const pets = ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(pets).toHaveLength(5)
  for (const read of [csv, ndjson].map(readPets)) {
    expect(read.refused).toEqual([])
    expect(read.lines.map(({ pet }) => pet.name)).toEqual(pets.map(({ name }) => name))
  }
})

describe('CSV', () => {
  test('is read back as it was written, whatever is in a cell', () => {
    const cells = ['plain', 'a,b', 'say "hi"', 'two\nlines', ' spaces ', '', 'é🐾']
    expect(parseCsv(csvLine(cells) + csvLine(['next', '2']))).toEqual([
      { line: 1, cells },
      { line: 3, cells: ['next', '2'] },
    ])
  })

  test('has no formula in it for a spreadsheet, and names are read back as they were', () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', "'=1", "''@x", "'plain", '=a,"b"\nc']
    const file = csvLine(['name']) + names.map((name) => csvLine([name])).join('')
    expect(file).not.toMatch(/(^|,|\n)"?[=+\-@\t\r]/)
    expect(readPets(file).lines.map(({ pet }) => pet.name)).toEqual(names)
  })

  test('with a column nobody knows is refused as a whole', () => {
    expect(readPets('name,colour\nRex,red')).toEqual({
      lines: [],
      refused: [{ line: 1, why: 'there is no column colour; possible are name, categoryId, category, status' }],
    })
  })
})
