import { responsesKeptHours } from '../../platform/api/sizes.ts'
import type { Shop } from '../../platform/compose/shop.ts'
import type { EventFamily } from '../../platform/events/types.ts'
import { banDurationMs, strikesAllowed } from '../../platform/keys/directory.ts'
import { plans } from '../../platform/keys/plans.ts'
import { graceSecondsDefault, onlyManagerGraceSeconds } from '../../platform/keys/shapes.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { dayMs, hourMs, minuteMs } from '../../platform/lib/time.ts'
import { gracedMax, strikeMinutes } from '../../platform/limits/limiter.ts'
import { unsignedHeaders } from '../../platform/webhooks/attempt.ts'
import { failingMsMax, retryDelaysMs } from '../../platform/webhooks/schedule.ts'
import { attemptTimeoutMs } from '../../platform/webhooks/send.ts'
import { deliveriesKeptDays, webhooksMax } from '../../platform/webhooks/shapes.ts'
import { signatures } from '../../platform/webhooks/sign.ts'
import { eventDiagram, keysDiagram, limitsDiagram } from './concept-diagrams.ts'
import {
  type ApiDocument,
  type DescribedOperation,
  headersIn,
  nameOf,
  operationsIn,
  resolve,
  type Schema,
  wholeShape,
} from './reference/document.ts'
import { headerId } from './reference/responses.ts'

/** Values that the guides take from the code, so that the two cannot disagree. */
export function guideValues(shop: Shop, baseUrl: string, document: ApiDocument): Record<string, string> {
  const operations = operationsIn(document)
  const firstBan = duration(banDurationMs(1))
  const longestBan = duration(banDurationMs(Number.MAX_SAFE_INTEGER))
  return {
    baseUrl,
    keysDiagram,
    limitsDiagram: limitsDiagram(firstBan, longestBan),
    eventDiagram,
    ...sampleDelivery(shop),
    headerTable: headerTable(document),
    planTable: table(
      ['Plan', 'Requests per minute', 'Requests per day', 'Strikes allowed'],
      [
        ...Object.entries(plans).map(([plan, { perMinute, perDay }]) => [
          plan,
          formatNumber(perMinute),
          formatNumber(perDay),
          formatNumber(strikesAllowed(perMinute)),
        ]),
        ['enterprise', 'custom', 'custom', 'half of the requests per minute, at least 30'],
      ],
    ),
    presetTable: table(
      ['Preset', 'Scopes'],
      Object.entries(shop.presets).map(([preset, scopes]) => [
        preset,
        scopes.map((scope) => `\`${scope}\``).join(', '),
      ]),
    ),
    scopeTable: table(
      ['Scope', 'Allows a key to'],
      Object.entries(shop.scopeMeanings).map(([scope, meaning]) => [`\`${scope}\``, meaning]),
    ),
    attemptTimeout: duration(attemptTimeoutMs),
    retryDelays: joinWithAnd(retryDelaysMs.map(duration)),
    failingDays: String(failingMsMax / dayMs),
    deliveriesKeptDays: String(deliveriesKeptDays),
    webhooksMax: String(webhooksMax),
    graceDefault: duration(graceSecondsDefault * 1000),
    onlyManagerGrace: duration(onlyManagerGraceSeconds * 1000),
    strikeMinutes: String(strikeMinutes),
    gracedMax: String(gracedMax),
    responsesKeptHours: String(responsesKeptHours),
    firstBan,
    longestBan,
    eventTable: eventTable(shop, document),
    deprecatedTable: table(
      ['Operation', 'Sunset'],
      operations
        .filter((operation) => operation.deprecated)
        .map((operation) => [link(operation), operation['x-deprecated-sunset'] ?? '']),
    ),
    unstableTable: table(
      ['Operation', 'Stability'],
      operations
        .filter((operation) => operation['x-stability'] !== undefined)
        .map((operation) => [link(operation), operation['x-stability'] ?? '']),
    ),
    ...shop.guides?.values(baseUrl),
  }
}

/** Every header of a response, with its meaning. */
function headerTable(document: ApiDocument): string {
  return table(
    ['Header', 'Meaning'],
    headersIn(document).map(([name, { description = '' }]) => [`[\`${name}\`](/docs#${headerId(name)})`, description]),
  )
}

/** The event types of each resource, with their data and who may see them. */
function eventTable({ catalogue }: Shop, document: ApiDocument): string {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>
  const rows = (schemas.Event?.oneOf ?? []).map((variant) => {
    const { type = {}, data = {} } = wholeShape(document, variant).properties ?? {}
    const types = resolve(document, type).enum ?? []
    const family = catalogue.families.find((each) => each.types.includes(types[0] ?? ''))
    return [types.map((each) => `\`${each}\``).join(', '), nameOf(data) ?? '', family ? visibleTo(family) : '']
  })
  return table(['Types', '`data`', 'Visible to keys with'], rows)
}

function visibleTo({ audience: { scope, others } }: EventFamily): string {
  if (others === undefined) return `\`${scope}\``
  return `\`${scope}\`, own events only; those of other keys with \`${others.scope}\` as well`
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const link = ({ operationId, method, path }: DescribedOperation): string =>
  `[\`${method} ${path}\`](/docs#${operationId})`

const joinWithAnd = (items: string[]): string => `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

function duration(ms: number): string {
  if (ms < minuteMs) return `${ms / 1000} seconds`
  return ms < hourMs ? `${ms / minuteMs} minutes` : `${ms / hourMs} hours`
}

// A delivery as a receiver gets it, signed with a secret that everyone knows: a test vector for receivers.

const secret = 'whsec_QSBzZWNyZXQgdGhhdCBldmVyeW9uZSBrbm93cyE='
const sentAt = Date.parse('2026-11-15T12:00:01Z')
const id = 'evt_8_9'

/** The whole request, and each part of its signature. */
export function sampleDelivery({ catalogue, examples }: Shop) {
  const { types, example } =
    catalogue.families.find(({ resource }) => examples.events[0] === `${resource}.*`) ??
    (catalogue.families[0] as EventFamily)
  const body = JSON.stringify({ id, type: types[0], time: '2026-11-15T12:00:00.000Z', data: example })
  const timestamp = Math.floor(sentAt / 1000)
  const signature = signatures([secret], { id, timestamp, body })
  const headers = {
    Host: 'shop.example',
    'Accept-Encoding': 'identity',
    'Content-Length': String(Buffer.byteLength(body)),
    ...unsignedHeaders(id, sentAt),
    'webhook-signature': signature,
  }
  return {
    sampleDeliverySecret: secret,
    sampleDeliverySigned: `${id}.${timestamp}.${body}`,
    sampleDeliverySignature: signature,
    sampleDeliveryRequest: `POST /hooks HTTP/1.1\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n\n${body}`,
  }
}
