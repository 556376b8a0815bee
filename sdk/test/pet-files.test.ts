import { describe, expect, test } from 'bun:test'
import {
  type Columns,
  csv,
  type FileFormat,
  ndjson,
  PetFileError,
  type PetRecord,
  readRecord,
  suggestFields,
} from '../src/pet-files/index.ts'
import { hostileNames } from './hostile-names.ts'

// Files without a service. cli/test/transfer.test.ts and console/test/files.test.ts import and export over HTTP.

/** Reads a text in chunks of a few bytes, so that every boundary falls inside some character, quote or line end. */
const read = (format: FileFormat, text: string, chunkBytes = 3) => {
  const bytes = new TextEncoder().encode(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return Array.fromAsync(format.read(chunks()))
}

const write = (format: FileFormat, records: readonly PetRecord[], columns: Columns) =>
  format.head(columns) + records.map((record) => format.write(record, columns)).join('')

const petsNamed = (names: readonly string[]) =>
  names.map((name, index): PetRecord => ({ id: 1, name, categoryId: 2, category: name, status: 'sold', stock: index }))

describe('CSV', () => {
  test('is read back as it was written, whatever is in a cell', async () => {
    const names = ['plain', 'a,b', 'say "hi"', 'two\nlines', ' spaces ', 'é🐾', 'cr\r\nlf', 'next']
    const lines = await read(csv, write(csv, petsNamed(names), 'with-ids'))
    expect(lines.map(({ value }) => value as PetRecord)).toEqual(petsNamed(names))
    expect(lines.map(({ line }) => line)).toEqual([2, 3, 4, 5, 8, 9, 10, 13])
  })

  test('has no formula in it for a spreadsheet, and names are read back as they were', async () => {
    const file = write(csv, petsNamed(hostileNames), 'portable')
    expect(file).not.toMatch(/(^|,|\n)"?[=+\-@\t\r]/)
    const lines = await read(csv, file)
    expect(lines.map(({ value }) => (value as PetRecord).name)).toEqual(hostileNames)
  })

  test('with an unknown column is rejected as a whole', async () => {
    const error = await read(csv, 'name,colour\nRex,red').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PetFileError)
    expect(String(error)).toEndWith('categoryId, status, stock. Unknown: "colour".')
  })

  test('with two columns of one name is rejected as a whole', async () => {
    const error = await read(csv, 'name,category,name\nRex,Dogs,Max').catch((error: unknown) => error)
    expect(error).toEqual(new PetFileError('The first line has the column "name" twice.'))
  })

  test('may have a byte order mark, CRLF, blank lines, bare quotes and a row without a line end', async () => {
    const lines = await read(csv, '\uFEFFname,categoryId\r\n\r\n5" fish,1\r\n"Max",2')
    expect(lines.map(({ line, value }) => [line, value])).toEqual([
      [3, { name: '5" fish', categoryId: 1 }],
      [4, { name: 'Max', categoryId: 2 }],
    ])
  })

  test('rejects a row with text beside a quoted cell, and goes on after a quote that is never closed', async () => {
    const rows = ['name', '"a"b', 'good', '"open', ...Array.from({ length: 1_200 }, () => 'x')]
    const lines = await read(csv, rows.join('\n'), 1024)
    expect(lines.slice(0, 4).map(({ line, fault }) => [line, fault !== undefined])).toEqual([
      [2, true],
      [3, false],
      [4, true],
      [1_004, false],
    ])
  })
})

test('CSV of a spreadsheet is read by the separator of its first line, with the numbers that go with it', async () => {
  const valuesOf = async (file: string) => (await read(csv, file)).map((line) => ('value' in line ? line.value : line))
  const rex = { name: 'Rex, the dog', stock: 1_200 }
  const max = { name: 'Max; "Maxi"', stock: 3 }
  const quoted = '"Max; ""Maxi"""'
  expect(await valuesOf(`name;stock\nRex, the dog;1.200,00\n${quoted};3\n`)).toEqual([rex, max])
  expect(await valuesOf('name\tstock\nRex, the dog\t1200,0\nMax; "Maxi"\t3\n')).toEqual([rex, max])
  expect(await valuesOf(`name,stock\n"Rex, the dog","1,200.00"\n${quoted},3\n`)).toEqual([rex, max])
  // Half a pet, or a number that could be either, stays text, which is rejected.
  const doubtful = { ';': '1,5', ',': '1.5', '\t': '1.200' }
  for (const [separator, stock] of Object.entries(doubtful)) {
    expect(await valuesOf(`name${separator}stock\nRex${separator}${stock}\n`)).toEqual([{ name: 'Rex', stock }])
  }
  const rejections = [{ line: 2, text: 'Rex;x', message: 'a; b' }]
  expect(csv.writeRejected(rejections, 'name;stock')).toBe('name;stock;fault\nRex;x;"a; b"\n')
})

test('a CSV row that goes on for more than a million characters is rejected, and the next one is read', async () => {
  const half = 'x'.repeat(600_000)
  const lines = await read(csv, `name\n"${half}\n${half}\ngood`, 65_536)
  expect(lines.map(({ line, fault }) => [line, fault !== undefined])).toEqual([
    [2, true],
    [4, false],
  ])
})

test('only the first line of NDJSON may have a byte order mark', async () => {
  const lines = await read(ndjson, '\uFEFF{"name":"Rex"}\n\uFEFF{"name":"Max"}')
  expect(lines.map(({ fault, value }) => fault ?? value)).toEqual([{ name: 'Rex' }, 'is not valid JSON'])
})

test('NDJSON is read back as it was written, and has no character that controls a terminal', async () => {
  const records = petsNamed([...hostileNames, '\x7f\x9b2J\u202e', '\u2028'])
  const file = write(ndjson, records, 'with-ids')
  expect(file).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
  expect((await read(ndjson, file)).map(({ value }) => value as PetRecord)).toEqual(records)
})

test('a line that is too long or not UTF-8 is rejected, and the next one is read', async () => {
  async function* chunks() {
    // One byte too many, in two parts, and just fitting.
    yield new TextEncoder().encode(`"${'x'.repeat(1024 * 1024 - 10)}`)
    yield new TextEncoder().encode(`${'x'.repeat(9)}"\n"${'x'.repeat(1024 * 1024 - 2)}"\n`)
    yield new Uint8Array([0xff, 0x0a])
    yield new TextEncoder().encode('{"name":"Rex"}')
  }
  const lines = await Array.fromAsync(ndjson.read(chunks()))
  expect(
    lines.map(({ line, fault, value }) => [line, fault ?? (typeof value === 'string' ? value.length : value)]),
  ).toEqual([
    [1, 'is too long or not UTF-8'],
    [2, 1024 * 1024 - 2],
    [3, 'is too long or not UTF-8'],
    [4, { name: 'Rex' }],
  ])
})

test('a record may give its category by name, by id or by both, and as the API shows it', () => {
  expect(readRecord({ name: 'Rex', category: 'Dogs', categoryId: 1, id: 5 })).toMatchObject({ category: 'Dogs' })
  expect(readRecord({ name: 'Rex', category: { id: 1, name: 'Dogs' } })).toEqual({ name: 'Rex', category: 'Dogs' })
  expect(readRecord({ name: 'Rex' })).toBe('category: give it, or categoryId')
  const category = { kind: 'category', name: 'Dogs', description: 'They bark.' }
  expect(readRecord(category)).toEqual(category as never)
  expect(readRecord({ ...category, description: 5 })).toBe('description: must be text')
  expect(readRecord({ name: '', categoryId: 1, colour: 'red' })).toBe(
    'name: must have a visible character; colour: is not a known field',
  )
})

/** The rejected lines of a file, as an import reports them. */
async function reject(format: FileFormat, file: string) {
  const lines = await read(format, file)
  return lines.map(({ line, text, fault = 'why not, "here"' }) => ({ line, text, message: fault }))
}

describe('rejected lines', () => {
  test('of CSV come back as they were, with the fault in a column that the next import ignores', async () => {
    const rows = ['Rex,"Dogs, ""big"""', '"two\nlines",Cats', 'too,many,cells', '"open, and never closed']
    const file = ['name,category', ...rows].join('\n')
    const written = csv.writeRejected(await reject(csv, file), 'name,category')
    expect(written.split('\n')[0]).toBe('name,category,fault')
    const again = await read(csv, written)
    const fault = 'why not, "here"'
    expect(again.map((line) => line.value ?? line.fault)).toEqual([
      { name: 'Rex', category: 'Dogs, "big"', fault },
      { name: 'two\nlines', category: 'Cats', fault },
      'has 4 cells instead of 3',
      'has 2 cells instead of 3',
    ])
    expect(readRecord(again[0]?.value)).toMatchObject({ name: 'Rex' })
    // Rejected again.
    const twice = await read(csv, csv.writeRejected(await reject(csv, written), 'name,category,fault'))
    expect(twice[0]?.value).toMatchObject({ name: 'Rex', category: 'Dogs, "big"' })
  })

  test('of NDJSON come back with the fault in a field; what is not an object stays as it is', async () => {
    const file = '{"name":"Rex","categoryId":1}\nnot json\n[]'
    const written = ndjson.writeRejected(await reject(ndjson, file), '')
    expect(written).toBe('{"name":"Rex","categoryId":1,"fault":"why not, \\"here\\""}\nnot json\n[]\n')
  })
})

test('what columns hold is suggested by their names, each field once', () => {
  expect(suggestFields(['name', 'category', 'stock'])).toEqual(['name', 'category', 'stock'])
  expect(suggestFields(['Animal', 'Species', 'Qty', 'Notes', 'State'])).toEqual([
    'name',
    'category',
    'stock',
    undefined,
    'status',
  ])
  expect(suggestFields(['Pet name', 'Category ID', 'In stock', 'fault'])).toEqual([
    'name',
    'categoryId',
    'stock',
    'fault',
  ])
  expect(suggestFields(['Pet', 'Name', 'name'])).toEqual([undefined, undefined, 'name'])
})

test('a name that the service would reject is rejected', () => {
  for (const name of ['a\0b', 'a\u001bb', 'Rex\n', 'a\u0085b']) {
    expect(readRecord({ name, categoryId: 1 })).toBe('name: must not contain control characters')
  }
  expect(readRecord({ name: '\u200b\u202e', categoryId: 1 })).toBe('name: must have a visible character')
  const category = { kind: 'category', name: 'Dogs', description: 'two\n\tlines' }
  expect(readRecord(category)).toEqual(category as never)
  expect(readRecord({ ...category, description: 'a\u001bb' })).toStartWith('description: must not contain control')
  expect(readRecord({ name: '\ud800', categoryId: 1 })).toBe('name: must not contain a lone surrogate')
})

test('names lose their outer spaces, as in the service', () => {
  expect(readRecord({ name: ' Rex ', category: '\u00a0Dogs ' })).toEqual({ name: 'Rex', category: 'Dogs' })
  expect(readRecord({ kind: 'category', name: ' Dogs' })).toEqual({ kind: 'category', name: 'Dogs' })
})
