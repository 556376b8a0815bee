import type { Event, EventFilter } from '@petstore/sdk'
import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { parseInteger, parseList } from './options.ts'
import { addResource, type Resource } from './resource.ts'

const formatData = (event: Event): string => toJson(event.data)

const events: Resource<Event> = {
  name: 'events',
  description: 'List and follow events in the shop.',
  columns: [
    ['TIME', ({ time }) => time],
    ['TYPE', ({ type }) => type],
    ['ID', ({ id }) => id],
    ['DATA', formatData],
  ],
  actions: [
    {
      name: 'list',
      description: 'List past events, oldest first.',
      options: [
        ['--after <event-id>', 'only events after this one'],
        ['--type <type,…>', 'only these types, such as order.placed or order.*', parseList],
      ],
      list: (shop, query) => shop.events.list(query),
      examples: [['petstore events list --type "order.*"', 'all events of orders']],
    },
  ],
}

interface TailOptions {
  readonly after?: string
  readonly type?: EventFilter[]
  readonly limit?: number
}

export function addEvents(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, events)
  const tail = group
    .command('tail')
    .description('Print events as they happen, one per line, until Ctrl-C. Reconnects if the connection breaks.')
    .option('--after <event-id>', 'start after this event')
    .option('--type <type,…>', 'only these types, such as order.placed or order.*', parseList)
    .option('--limit <count>', 'stop after this many events', parseInteger)
    .action(async ({ after, type: types, limit = Number.POSITIVE_INFINITY }: TailOptions) => {
      const { json } = tail.optsWithGlobals<{ json?: boolean }>()
      let count = 0
      for await (const event of connect(terminal, tail).events.follow({ after, types })) {
        await terminal.write(`${json ? toJson(event) : formatLine(event)}\n`)
        if (++count >= limit) break
      }
    })
  withExamples(
    tail,
    ['petstore events tail', 'all new events'],
    ['petstore events tail --type "order.*" --json | jq .data.id', 'as JSON'],
  )
}

const formatLine = (event: Event): string =>
  `${event.time}  ${event.type.padEnd(20)}  ${event.id}  ${formatData(event)}`
