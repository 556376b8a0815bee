import type { List } from '@petstore/sdk'
import { toJson } from '../controls.ts'
import { type Column, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'

interface Showing<Item> {
  readonly terminal: Terminal
  readonly json: boolean
  readonly columns: readonly Column<Item>[]
}

/** Rows whose widths are found together; with more than these a list is shown as it comes in. */
const rowsTogether = 500

/** Shows the first so many items of a list, and says so when there are more. */
export async function showList<Item>(list: List<Item>, max: number, showing: Showing<Item>): Promise<void> {
  const show = showing.json ? jsonArray(showing.terminal) : tables(showing)
  let count = 0
  for await (const item of list) {
    if (++count > max) break
    await show.item(item)
  }
  await show.end()
  if (count > max) {
    showing.terminal.tell(`These are the first ${max}. There are more: --limit <count> or --all shows them.\n`)
  }
}

export async function showOne<Item>(item: Item, { terminal, json, columns }: Showing<Item>): Promise<void> {
  await terminal.writeAsIs(json ? `${toJson(item, 2)}\n` : table(columns, [item], terminal.hasColors))
}

/** One item a line, so that a long answer can be read as it comes. */
function jsonArray({ write }: Terminal) {
  let isFirst = true
  return {
    async item(item: unknown) {
      await write(`${isFirst ? '[' : ','}\n  ${toJson(item)}`)
      isFirst = false
    },
    end: () => write(isFirst ? '[]\n' : '\n]\n'),
  }
}

function tables<Item>({ terminal, columns }: Showing<Item>) {
  let rows: Item[] = []
  let isEmpty = true
  async function end() {
    if (rows.length > 0 || isEmpty) await terminal.writeAsIs(table(columns, rows, terminal.hasColors))
    isEmpty = false
    rows = []
  }
  return {
    async item(item: Item) {
      if (rows.push(item) === rowsTogether) await end()
    },
    end,
  }
}
