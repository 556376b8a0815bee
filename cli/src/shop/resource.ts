import { headersOf, type List, type PetStore } from '@petstore/sdk'
import type { Command } from 'commander'
import { declareCalls, type OperationId, operationOf } from '../calls.ts'
import { withExamples } from '../examples.ts'
import type { Column } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { addOptions, type FieldOption } from './fields.ts'
import { type Input, readInput } from './input.ts'
import { parseCount, parseInteger } from './options.ts'
import { addLossOptions, type Removal, removeAll } from './remove.ts'
import { outputOf, printList, printResponse } from './show.ts'

/** Commands whose tables have the same columns. */
export interface Actions<Item> {
  readonly columns: readonly Column<Item>[]
  /** Formats an item of a list as one line, instead of a table. */
  readonly line?: (item: Item) => string
  readonly actions: readonly (ListAction<Item> | RunAction<Item> | RemoveAction<Item>)[]
}

/** A resource of the service, as a group of commands. */
export interface Resource<Item> extends Actions<Item> {
  readonly name: string
  readonly description: string
}

interface ActionBase {
  readonly name: string
  readonly description: string
  /** The operation that it calls; its description says which options are required. */
  readonly operation: OperationId
  /** Other operations that it calls. */
  readonly also?: readonly OperationId[]
  /** Ids that are given as arguments, in order. */
  readonly ids?: readonly string[]
  readonly options?: readonly FieldOption[]
  readonly examples: readonly (readonly [line: string, description: string])[]
}

interface ListAction<Item> extends ActionBase {
  /** The fields are the query. */
  readonly list: (shop: PetStore, input: Input) => List<Item> | Promise<AsyncIterable<Item>>
}

interface RunAction<Item> extends ActionBase {
  /** The fields are the body, or the query. */
  readonly run: (shop: PetStore, input: Input) => Promise<object>
  /** The rows of the table; the response itself unless given. */
  readonly rows?: (response: never, shop: PetStore) => readonly Item[] | Promise<readonly Item[]>
  /** Printed after the table. */
  readonly footer?: (response: never) => string
}

interface RemoveAction<Item> extends ActionBase, Removal<Item> {}

const pageSize = 100

export function addResource<Item>(program: Command, terminal: Terminal, resource: Resource<Item>): Command {
  const group = program.command(resource.name).description(resource.description)
  addActions(group, terminal, resource)
  return group
}

/** Adds commands to a group or to the program. */
export function addActions<Item>(group: Command, terminal: Terminal, definition: Actions<Item>): void {
  for (const action of definition.actions) addAction(group, terminal, definition, action)
}

function addAction<Item>(
  group: Command,
  terminal: Terminal,
  { columns, line }: Actions<Item>,
  action: Actions<Item>['actions'][number],
): void {
  const { name, description, ids = [], options = [], examples, also = [] } = action
  const operation = operationOf(action.operation)
  const command = declareCalls(group.command(name).description(description), action.operation, ...also)
  if ('loss' in action) addLossOptions(command, ids[0] ?? '')
  else for (const id of ids) command.argument(`<${id}>`, 'id, a whole number', parseInteger)
  addOptions(command, operation, options)
  if ('list' in action) {
    command.option('--limit <count>', 'maximum number', parseCount, 20).option('--all', 'list all')
  }
  if (operation.takesIfMatch) command.option('--if-match <etag>', 'only if it still has this ETag')
  if ('run' in action && operation.hasEtag && operation.method === 'GET') {
    command.option('--etag', 'print only its ETag, for --if-match')
  }
  withExamples(command, ...examples)
  command.action(async () => {
    const input = readInput(command, operation, options)
    const shop = connect(terminal, command)
    const output = { ...outputOf(terminal, command), columns, line }
    if ('list' in action) {
      const { limit, all } = command.opts<{ limit: number; all?: boolean }>()
      const max = all ? Number.POSITIVE_INFINITY : limit
      const fields = { ...(input.fields as object), limit: Math.min(max + 1, pageSize) } as never
      return printList(await action.list(shop, { ...input, fields }), max, output)
    }
    if ('remove' in action) return removeAll(action, { shop, input, command, output })
    const response = await action.run(shop, input)
    if (command.opts().etag) return terminal.write(`${headersOf(response)?.get('ETag')}\n`)
    await printResponse(response, () => action.rows?.(response as never, shop) ?? [response as Item], output)
    if (action.footer && !output.json) await terminal.write(action.footer(response as never))
  })
}
