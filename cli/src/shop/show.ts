import type { List } from '@petstore/sdk'
import { toJson } from '../controls.ts'
import { type Column, formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

interface Output<Item> {
  readonly terminal: Terminal
  readonly json: boolean
  readonly columns: readonly Column<Item>[]
}

/** A longer list is printed in tables of this many rows as it comes in. */
const tableRowsMax = 500

/** Prints the first items of a list, and says if there are more. */
export async function printList<Item>(list: List<Item>, max: number, output: Output<Item>): Promise<void> {
  const printer = output.json ? jsonPrinter(output.terminal) : tablePrinter(output)
  let count = 0
  for await (const item of list) {
    if (++count > max) break
    await printer.item(item)
  }
  await printer.end()
  if (count > max) {
    output.terminal.printMessage(`Showing the first ${max}. Use --limit <count> or --all for more.\n`)
  }
}

export async function printOne<Item>(item: Item, { terminal, json, columns }: Output<Item>): Promise<void> {
  await terminal.writeUnchanged(json ? `${toJson(item, 2)}\n` : formatTable(columns, [item], terminal.hasColors))
}

/** One item per line, so that a long list can be read as it comes in. */
function jsonPrinter({ write }: Terminal) {
  let isFirst = true
  return {
    async item(item: unknown) {
      await write(`${isFirst ? '[' : ','}\n  ${toJson(item)}`)
      isFirst = false
    },
    end: () => write(isFirst ? '[]\n' : '\n]\n'),
  }
}

function tablePrinter<Item>({ terminal, columns }: Output<Item>) {
  let rows: Item[] = []
  let isEmpty = true
  async function end() {
    if (rows.length > 0 || isEmpty) await terminal.writeUnchanged(formatTable(columns, rows, terminal.hasColors))
    isEmpty = false
    rows = []
  }
  return {
    async item(item: Item) {
      if (rows.push(item) === tableRowsMax) await end()
    },
    end,
  }
}
