import type { List, PetStore } from '@petstore/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Column } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { parseInteger } from './options.ts'
import { printList, printOne } from './show.ts'

/** A resource of the service, as a group of commands. */
export interface Resource<Item> {
  readonly name: string
  readonly description: string
  readonly columns: readonly Column<Item>[]
  readonly actions: readonly AnyAction<Item>[]
}

type AnyAction<Item> = ListAction<Item> | RunAction<Item> | RemoveAction

type Examples = readonly (readonly [line: string, description: string])[]
/** The flags of an option, its description, and how to parse its text. */
type Option = readonly [flags: string, description: string, parse?: (text: string) => unknown]

interface ActionBase {
  readonly name: string
  readonly description: string
  /** Ids that are given as arguments, in order. */
  readonly ids?: readonly string[]
  readonly options?: readonly Option[]
  readonly examples: Examples
}

interface ListAction<Item> extends ActionBase {
  /** The options become the query. */
  readonly list: (shop: PetStore, query: object, ...ids: number[]) => List<Item>
}

interface RunAction<Item> extends ActionBase {
  /** The options become the body. */
  readonly run: (shop: PetStore, fields: object, ...ids: number[]) => Promise<Item>
  /** Formats the answer instead of a table. */
  readonly format?: (item: Item) => string
}

interface RemoveAction extends ActionBase {
  readonly remove: (shop: PetStore, ...ids: number[]) => Promise<void>
  /** Printed on success. */
  readonly done: string
}

const pageSize = 100

export function addResource<Item>(program: Command, terminal: Terminal, resource: Resource<Item>): Command {
  const group = program.command(resource.name).description(resource.description)
  addActions(group, terminal, resource)
  return group
}

/** Adds more commands to a group; their tables may have other columns. */
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
  for (const id of ids) command.argument(`<${id}>`, 'id, a whole number', parseInteger)
  for (const [flags, help, parse] of options) {
    if (parse) command.option(flags, help, parse)
    else command.option(flags, help)
  }
  if ('list' in action) {
    command.option('--limit <count>', 'maximum number', parseInteger, 20).option('--all', 'list all')
  }
  withExamples(command, ...examples)
  command.action(async () => {
    const shop = connect(terminal, command)
    const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
    const output = { terminal, json, columns }
    const idValues = command.processedArgs as number[]
    const fields = command.opts()
    if ('list' in action) {
      const { limit, all, ...query } = fields
      const max = all ? Number.POSITIVE_INFINITY : limit
      return printList(action.list(shop, { ...query, limit: Math.min(max + 1, pageSize) }, ...idValues), max, output)
    }
    if ('remove' in action) {
      await action.remove(shop, ...idValues)
      return terminal.write(json ? 'null\n' : `${action.done}\n`)
    }
    const item = await action.run(shop, fields, ...idValues)
    if (action.format && !json) return terminal.write(action.format(item))
    return printOne(item, output)
  })
}
