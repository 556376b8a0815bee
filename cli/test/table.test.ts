import { expect, test } from 'bun:test'
import { formatTable } from '../src/table.ts'
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
