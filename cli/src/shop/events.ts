import type { Event, EventFilter } from '@petstore/sdk'
import type { Command } from 'commander'
import { declareCalls, operationOf } from '../calls.ts'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { checkThatItResponds, connect } from './connect.ts'
import { addOptions, type FieldOption, readFields } from './fields.ts'
import { formatEvent } from './format-event.ts'
import { parseCount, parseList } from './options.ts'
import { addResource, type Resource } from './resource.ts'
import { outputOf, printLine } from './show.ts'

const types: FieldOption = ['--type <type,…>', 'only these types, such as order.placed or order.*', parseList]

const events: Resource<Event> = {
  name: 'events',
  description: 'List and follow events in the shop.',
  columns: [],
  line: formatEvent,
  actions: [
    {
      name: 'list',
      description: 'List past events, one per line.',
      operation: 'listEvents',
      options: [
        ['--after <event-id>', 'only events after this one, in the order of --sort'],
        types,
        ['--from <time>', 'only events from this time on'],
        ['--to <time>', 'only events before this time'],
        ['--sort <order>', 'id, oldest first, or -id, newest first'],
      ],
      list: (shop, { fields }) => shop.events.list(fields),
      examples: [['petstore events list --type "order.*"', 'all events of orders']],
    },
  ],
}

const stream = operationOf('streamEvents')
const tailFields: readonly FieldOption[] = [['--after <event-id>', 'start after this event'], types]

export function addEvents(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, events)
  const tail = declareCalls(group.command('tail'), 'streamEvents', 'getLimits').description(
    'Print events as they happen, one per line, until Ctrl-C. Reconnects if the connection breaks.',
  )
  addOptions(tail, stream, tailFields)
  tail
    .option('--limit <count>', 'stop after this many events', parseCount)
    .action(async ({ limit = Number.POSITIVE_INFINITY }: { limit?: number }) => {
      const { after, type } = readFields(tail, stream, tailFields) as { after?: string; type?: EventFilter[] }
      const output = outputOf(terminal, tail)
      const onOpen = () => terminal.printMessage('Waiting for events. Ctrl-C stops.\n')
      const shop = connect(terminal, tail)
      await checkThatItResponds(shop)
      let count = 0
      for await (const event of shop.events.follow({ after, type }, { onOpen })) {
        if (output.json) await terminal.write(`${toJson(event)}\n`)
        else await printLine(formatEvent(event), output)
        if (++count >= limit) break
      }
    })
  withExamples(
    tail,
    ['petstore events tail', 'all new events'],
    ['petstore events tail --type "order.*" --json | jq .data.id', 'as JSON'],
  )
}
