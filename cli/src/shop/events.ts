import type { Event, EventFilter } from '@petstore/sdk'
import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { several, wholeNumber } from './options.ts'
import { addResource, type Resource } from './resource.ts'

const data = (event: Event): string => toJson(event.data)

const events: Resource<Event> = {
  name: 'events',
  description: 'What happened in the shop, and what happens.',
  columns: [
    ['TIME', ({ time }) => time],
    ['TYPE', ({ type }) => type],
    ['ID', ({ id }) => id],
    ['DATA', data],
  ],
  actions: [
    {
      name: 'list',
      description: 'List what happened, oldest first.',
      options: [
        ['--after <event-id>', 'only what came after this event'],
        ['--type <type,…>', 'only these types, such as order.placed or order.*', several],
      ],
      list: (shop, query) => shop.events.list(query),
      examples: [['petstore events list --type "order.*"', 'what became of orders']],
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
    .description(
      'Show what happens as it happens, until Ctrl-C; one event a line. A broken connection is taken up again.',
    )
    .option('--after <event-id>', 'begin with what came after this event')
    .option('--type <type,…>', 'only these types, such as order.placed or order.*', several)
    .option('--limit <count>', 'end after so many', wholeNumber)
    .action(async ({ after, type: types, limit = Number.POSITIVE_INFINITY }: TailOptions) => {
      const { json } = tail.optsWithGlobals<{ json?: boolean }>()
      let count = 0
      for await (const event of connect(terminal, tail).events.follow({ after, types })) {
        await terminal.write(`${json ? toJson(event) : lineOf(event)}\n`)
        if (++count >= limit) break
      }
    })
  withExamples(
    tail,
    ['petstore events tail', 'everything from now on'],
    ['petstore events tail --type "order.*" --json | jq .data.id', 'for a program'],
  )
}

const lineOf = (event: Event): string => `${event.time}  ${event.type.padEnd(20)}  ${event.id}  ${data(event)}`
