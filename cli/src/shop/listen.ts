import { createHmac, randomBytes } from 'node:crypto'
import type { Event, EventFilter } from '@petstore/sdk'
import type { Command } from 'commander'
import { declareCalls, operationOf } from '../calls.ts'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { Terminal } from '../terminal.ts'
import { checkThatItResponds, connect } from './connect.ts'
import { addOptions, type FieldOption, readFields } from './fields.ts'
import { parseCount, parseList } from './options.ts'
import { outputOf, printLine } from './show.ts'

const prefix = 'whsec_'
/** The timeout of the service's own deliveries. */
const timeoutMs = 15_000

const stream = operationOf('streamEvents')
const fields: readonly FieldOption[] = [
  ['--events <pattern,…>', 'only these types, such as order.placed or order.*', parseList, 'type'],
  ['--after <event-id>', 'start after this event; with new ones unless given'],
]

/** Sends events to a receiver under development, which the service itself could not reach. */
export function addListen(group: Command, terminal: Terminal): void {
  const listen = declareCalls(group.command('listen'), 'streamEvents', 'getLimits')
    .description(
      'Send events to a URL as they happen, signed as the service signs webhooks, until Ctrl-C. For a receiver on this machine: no webhook is created, and nothing is sent twice. Signs with WEBHOOK_SECRET, or with a new secret that is printed.',
    )
    .option('--forward-to <url>', 'the receiver, such as http://127.0.0.1:3000/hooks (required)')
    .option('--limit <count>', 'stop after this many events', parseCount)
  addOptions(listen, stream, fields)
  listen.action(async ({ forwardTo, limit = Number.POSITIVE_INFINITY }: { forwardTo?: string; limit?: number }) => {
    const { after, type } = readFields(listen, stream, fields) as { after?: string; type?: EventFilter[] }
    if (forwardTo === undefined) return listen.error('error: Missing --forward-to')
    const receiver = checkReceiver(forwardTo)
    const secret = checkSecret(terminal.env.WEBHOOK_SECRET || prefix + randomBytes(32).toString('base64'))
    const shop = connect(terminal, listen)
    const output = outputOf(terminal, listen)
    const onOpen = () => terminal.printMessage(`Sending events to ${receiver}\nSigned with ${secret}\n`)
    await checkThatItResponds(shop)
    let count = 0
    for await (const event of shop.events.follow({ after, type }, { onOpen })) {
      const result = await forward(event, { receiver, secret, now: terminal.now() })
      if (output.json) await terminal.write(`${toJson({ id: event.id, type: event.type, ...result })}\n`)
      else await printLine(`${event.time}  ${event.type.padEnd(20)}  ${event.id}  ${formatResult(result)}`, output)
      if (++count >= limit) break
    }
  })
  withExamples(
    listen,
    ['petstore webhooks listen --forward-to http://127.0.0.1:3000/hooks', 'all new events'],
    ['petstore webhooks listen --forward-to http://127.0.0.1:3000 --events "order.*"', 'only events of orders'],
  )
}

function checkReceiver(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new Failure(
    `--forward-to must be an http or https URL, such as http://127.0.0.1:3000/hooks.`,
    exitCodes.misused,
  )
}

function checkSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]+=*$/.test(text)) return text
  throw new Failure('WEBHOOK_SECRET must have the form whsec_… that the service returned.', exitCodes.misused)
}

interface Result {
  readonly status?: number
  readonly error?: string
}

const formatResult = ({ status, error }: Result): string => `→ ${status ?? error}`

/** Sends an event once, as a delivery of the service: the same body and headers. */
async function forward(
  event: Event,
  { receiver, secret, now }: { receiver: string; secret: string; now: number },
): Promise<Result> {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(now / 1000)
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64')
  try {
    const { status } = await fetch(receiver, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'petstore-webhooks/1',
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      },
    })
    return { status }
  } catch (error) {
    return { error: reasonOf(error) }
  }
}
