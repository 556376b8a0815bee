import { expect, test } from 'bun:test'
import { List } from '../../sdk/src/list.ts'
import { formatEvent } from '../src/shop/format-event.ts'
import { printLine, printList } from '../src/shop/show.ts'
import { formatTable } from '../src/table.ts'
import type { Terminal } from '../src/terminal.ts'
import { cutText, textWidth } from '../src/text-width.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly note: string
}
const row = { id: 123_456_789_012, name: 'Rex', note: 'A long description that no narrow terminal has room for' }
const format = (widthMax?: number) =>
  formatTable<Row>(
    [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['NOTE', ({ note }) => note],
    ],
    [row],
    { hasColors: false, widthMax },
  )

test('a table fits the width: the widest cells are cut with …, numbers never', () => {
  expect(format()).toContain(row.note)
  for (const widthMax of [40, 60, 100]) {
    const lines = format(widthMax).trimEnd().split('\n')
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(widthMax)
    expect(lines[1]).toStartWith(`${row.id}  Rex   A long`)
    expect(lines[1]?.endsWith('…')).toBe(widthMax < 80)
  }
  // Nor are they where other rows have none.
  const mixed = formatTable<Partial<Row>>(
    [
      ['ID', ({ id }) => id],
      ['NOTE', ({ note }) => note],
    ],
    [row, { note: row.note }],
    { hasColors: false, widthMax: 10 },
  )
  expect(mixed.split('\n')[1]).toStartWith(`${row.id}  A long`)
  // Not narrower than what can be read.
  expect(format(10)).toContain('A long …')
})

test.each(['plain', 'Ünï', 'e\u0301', '日本語', '한글', 'ｆｕｌｌ', '🐕', '👨‍👩‍👧', '✓ …', 'a\u200db'])(
  '%j has the width that a terminal gives it',
  (text) => {
    expect(textWidth(text)).toBe(Bun.stringWidth(text))
  },
)

test('a text is cut between characters, at most to its width', () => {
  expect(['abc', 'abcd', '日本語', '🐕🐕🐕'].map((text) => cutText(text, 3))).toEqual(['abc', 'ab…', '日…', '🐕…'])
})

/** A slow terminal that keeps what is written, as it is given. */
function fakeTerminal() {
  const written: string[] = []
  const write = async (text: string) => {
    await Bun.sleep(1)
    written.push(text)
  }
  const terminal = {
    hasColors: false,
    write,
    writeUnchanged: write,
    printMessage: (text: string) => void written.push(text),
  }
  return { terminal: terminal as unknown as Terminal, written }
}

const hostile = 'Rex\x1b[2J\n\x07\u202eend'

test('a table has no control characters, and one line for each row', () => {
  const table = formatTable<{ name: string }>([['NAME', ({ name }) => name]], [{ name: hostile }], {
    hasColors: false,
    widthMax: 80,
  })
  expect(table).toBe('NAME\nRex   end\n')
})

test('a line has no control characters, and is one line', async () => {
  const { terminal, written } = fakeTerminal()
  await printLine(hostile, { terminal, widthMax: undefined })
  await printLine(hostile, { terminal, widthMax: 5 })
  expect(written).toEqual(['Rex   end\n', 'Rex …\n'])
})

test('a long list is printed as it comes in, in tables of 500 rows, and says if there is more', async () => {
  const numbers = (count: number) => {
    const items = Array.from({ length: count }, (_, index) => index)
    return new List(async () => ({ items }), undefined)
  }
  const print = async (count: number, max: number) => {
    const { terminal, written } = fakeTerminal()
    await printList(numbers(count), max, {
      terminal,
      json: false,
      widthMax: undefined,
      columns: [['N', (number) => number]],
    })
    return written.map((text) => (text.startsWith('N\n') ? text.trimEnd().split('\n').length - 1 : text))
  }
  expect(await print(1_001, 5_000)).toEqual([500, 500, 1])
  expect(await print(500, 500)).toEqual([500])
  expect(await print(0, 5)).toEqual([0])
  expect(await print(6, 5)).toEqual([5, 'Showing the first 5. Use --limit <count> or --all for more.\n'])
})

test('an event is one line: when, what, its id and what changed', () => {
  const event = { id: '7', time: '2026-11-15T12:00:00.000Z' }
  const lines = [
    { ...event, type: 'inventory.updated', data: { petId: 3, quantity: 5 }, previous: { quantity: 2 }, orderId: 9 },
    { ...event, type: 'pet.created', data: { id: 3, name: 'Rex', status: 'sold', categoryId: 1 }, keyId: 4 },
    { ...event, type: 'key.banned', data: { id: 4, ban: { until: '2026-11-15T12:02:00Z' } }, previous: { ban: null } },
    { ...event, type: 'unheard.of', data: { id: 3 } },
  ].map((one) => formatEvent(one as never))
  expect(lines).toEqual([
    '2026-11-15T12:00:00.000Z  inventory.updated     7  pet 3: quantity 2 → 5 (order 9)',
    '2026-11-15T12:00:00.000Z  pet.created           7  pet 3 "Rex": status sold, categoryId 1 (key 4)',
    '2026-11-15T12:00:00.000Z  key.banned            7  key 4: ban none → until 2026-11-15T12:02:00Z',
    '2026-11-15T12:00:00.000Z  unheard.of            7  {"id":3}',
  ])
})
