import { expect, test } from 'bun:test'
import { firstFilledPage } from '../src/first-filled-page.ts'

/** A list whose first pages are empty, and how many of its pages were read. */
function listWith(emptyPages: number) {
  const read: number[] = []
  async function* pages() {
    for (let page = 1; page <= emptyPages; page++) {
      read.push(page)
      yield { items: [], next: `after ${page}` }
    }
    yield { items: ['found'] }
  }
  return { list: { pages }, read }
}

test('empty pages are skipped, but at most ten at a time, so that a rare thing does not use up the key', async () => {
  expect(await firstFilledPage(listWith(9).list)).toEqual({ items: ['found'] })
  const { list, read } = listWith(50)
  expect(await firstFilledPage(list)).toEqual({ items: [], next: 'after 10' })
  expect(read).toHaveLength(10)
})
