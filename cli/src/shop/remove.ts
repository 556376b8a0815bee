import type { PetStore } from '@petstore/sdk'
import type { Command } from 'commander'
import { confirm } from '../confirm.ts'
import { withFields } from '../failure.ts'
import type { Input } from './input.ts'
import { parseInteger } from './options.ts'
import { type Output, printItems } from './show.ts'

/** What a deletion takes away, for the question before it and for --dry-run. */
export interface Loss<Item> {
  /** The words of `Delete pet 8?` and `Delete 3 pets?`. */
  readonly verb: string
  readonly one: string
  readonly several: string
  readonly read: (shop: PetStore, id: number) => Promise<Item>
}

export interface Removal<Item> {
  readonly remove: (shop: PetStore, input: Input) => Promise<void>
  /** Printed on success. */
  readonly done: string
  /** Absent if nothing is lost. With it, a person is asked first, and several ids can be given. */
  readonly loss?: Loss<Item>
}

export function addLossOptions(command: Command, idName: string): void {
  command
    .argument(`<${idName}...>`, 'ids, whole numbers', (text, ids: readonly number[] = []) => [
      ...ids,
      parseInteger(text),
    ])
    .option('--yes', 'do not ask; only a person at a terminal is asked')
    .option('--dry-run', 'print what would be lost, and change nothing')
}

/** Removes one after the other, in the order of their ids on the command line. */
export async function removeAll<Item>(
  { remove, done, loss }: Removal<Item>,
  { shop, input, command, output }: { shop: PetStore; input: Input; command: Command; output: Output<Item> },
): Promise<void> {
  const { terminal, json } = output
  const ids = [...new Set(input.ids)]
  const { yes, dryRun } = command.opts<{ yes?: boolean; dryRun?: boolean }>()
  if (input.ifMatch !== undefined && ids.length > 1) command.error('error: --if-match can be given only with one id')
  if (loss && dryRun) {
    const items: Item[] = []
    for (const id of ids) items.push(await loss.read(shop, id))
    return printItems(items, output)
  }
  if (loss && !yes) await confirm(terminal, questionOf(loss, ids))
  const removed: number[] = []
  for (const id of ids) {
    // One line for each, or a list in the error, so that a failure shows how far it came.
    await remove(shop, { ...input, id }).catch((error: unknown) => {
      throw json && removed.length > 0 ? withFields(error, { removed }) : error
    })
    removed.push(id)
    if (!json) await terminal.write(ids.length > 1 ? `${id}: ${done}\n` : `${done}\n`)
  }
  if (json) await terminal.write('null\n')
}

const questionOf = ({ verb, one, several }: Loss<unknown>, ids: readonly number[]): string =>
  ids.length === 1 ? `${verb} ${one} ${ids[0]}?` : `${verb} ${ids.length} ${several}?`
