import type { Command } from 'commander'
import { stripControls, toJson } from '../controls.ts'
import { type Column, formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { cutText } from '../text-width.ts'

export interface Output<Item> {
  readonly terminal: Terminal
  readonly json: boolean
  /** The columns of the terminal; undefined for no limit. */
  readonly widthMax: number | undefined
  readonly columns: readonly Column<Item>[]
  /** Formats an item as one line, instead of a table. */
  readonly line?: ((item: Item) => string) | undefined
}

/** What the global options and the terminal say about the output. */
export function outputOf(terminal: Terminal, command: Command) {
  const { json = false, wide = false } = command.optsWithGlobals<{ json?: boolean; wide?: boolean }>()
  return { terminal, json, widthMax: wide ? undefined : terminal.columns }
}

/** A longer list is printed in tables of this many rows as it comes in. */
const tableRowsMax = 500

/** Prints the first items of a list, and says if there are more. */
export async function printList<Item>(list: AsyncIterable<Item>, max: number, output: Output<Item>): Promise<void> {
  const printer = choosePrinter(output)
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

/** Prints items that were read one by one. */
export async function printItems<Item>(items: readonly Item[], output: Output<Item>): Promise<void> {
  const printer = choosePrinter(output)
  for (const item of items) await printer.item(item)
  await printer.end()
}

/** Prints a response as JSON, or these rows of it. */
export async function printResponse<Item>(
  response: unknown,
  rows: () => readonly Item[] | Promise<readonly Item[]>,
  output: Output<Item>,
): Promise<void> {
  const { terminal, json, columns } = output
  await terminal.writeUnchanged(json ? `${toJson(response, 2)}\n` : formatTable(columns, await rows(), styleOf(output)))
}

const styleOf = ({ terminal: { hasColors }, widthMax }: Output<never>) => ({ hasColors, widthMax })

export const printLine = async (
  text: string,
  { terminal, widthMax }: Pick<Output<never>, 'terminal' | 'widthMax'>,
): Promise<void> => {
  const line = stripControls(text)
  await terminal.write(`${widthMax === undefined ? line : cutText(line, widthMax)}\n`)
}

function choosePrinter<Item>(output: Output<Item>) {
  const { terminal, json, line } = output
  if (json) return jsonPrinter(terminal)
  if (line) return { item: (item: Item) => printLine(line(item), output), end: async () => {} }
  return tablePrinter(output)
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

function tablePrinter<Item>(output: Output<Item>) {
  let rows: Item[] = []
  let isEmpty = true
  async function end() {
    if (rows.length > 0 || isEmpty) {
      await output.terminal.writeUnchanged(formatTable(output.columns, rows, styleOf(output)))
    }
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

export const formatSecret = ({ secret }: { readonly secret: string }): string =>
  `\nThe secret, shown only once:\n  ${secret}\n`
