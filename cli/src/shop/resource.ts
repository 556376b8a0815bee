import type { List, PetStore } from '@petstore/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Column } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { wholeNumber } from './options.ts'
import { showList, showOne } from './show.ts'

/** A resource of the service as commands. */
export interface Resource<Item> {
  readonly name: string
  readonly description: string
  readonly columns: readonly Column<Item>[]
  readonly actions: readonly AnyAction<Item>[]
}

type AnyAction<Item> = Listing<Item> | Action<Item> | Removal

type Words = readonly (readonly [line: string, what: string])[]
/** The flags of an option, what it says, and what its text becomes. */
type Option = readonly [flags: string, description: string, parse?: (text: string) => unknown]

interface Described {
  readonly name: string
  readonly description: string
  /** Arguments that are ids, in order. */
  readonly ids?: readonly string[]
  readonly options?: readonly Option[]
  readonly examples: Words
}

interface Listing<Item> extends Described {
  /** Options are the query. */
  readonly list: (shop: PetStore, query: object, ...ids: number[]) => List<Item>
}

interface Action<Item> extends Described {
  /** Options are the body. */
  readonly run: (shop: PetStore, fields: object, ...ids: number[]) => Promise<Item>
  /** Shows the answer in a way of its own. */
  readonly show?: (item: Item) => string
}

interface Removal extends Described {
  readonly remove: (shop: PetStore, ...ids: number[]) => Promise<void>
  /** What to say of it. */
  readonly done: string
}

const pageMax = 100

export function addResource<Item>(program: Command, terminal: Terminal, resource: Resource<Item>): Command {
  const group = program.command(resource.name).description(resource.description)
  addActions(group, terminal, resource)
  return group
}

/** More commands of a group, whose answers may look different. */
export function addActions<Item>(
  group: Command,
  terminal: Terminal,
  { columns, actions }: Pick<Resource<Item>, 'columns' | 'actions'>,
): void {
  for (const action of actions) addAction(group, terminal, columns, action)
}

function addAction<Item>(
  group: Command,
  terminal: Terminal,
  columns: readonly Column<Item>[],
  action: AnyAction<Item>,
): void {
  const { name, description, ids = [], options = [], examples } = action
  const command = group.command(name).description(description)
  for (const id of ids) command.argument(`<${id}>`, 'a whole number', wholeNumber)
  for (const [flags, says, parse] of options) {
    if (parse) command.option(flags, says, parse)
    else command.option(flags, says)
  }
  if ('list' in action) {
    command.option('--limit <count>', 'at most so many', wholeNumber, 20).option('--all', 'all of them')
  }
  withExamples(command, ...examples)
  command.action(async () => {
    const shop = connect(terminal, command)
    const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
    const showing = { terminal, json, columns }
    const given = command.processedArgs as number[]
    const fields = command.opts()
    if ('list' in action) {
      const { limit, all, ...query } = fields
      const max = all ? Number.POSITIVE_INFINITY : limit
      return showList(action.list(shop, { ...query, limit: Math.min(max + 1, pageMax) }, ...given), max, showing)
    }
    if ('remove' in action) {
      await action.remove(shop, ...given)
      return terminal.write(json ? 'null\n' : `${action.done}\n`)
    }
    const item = await action.run(shop, fields, ...given)
    if (action.show && !json) return terminal.write(action.show(item))
    return showOne(item, showing)
  })
}
