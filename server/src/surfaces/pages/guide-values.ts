import { scopeMeanings } from '../../platform/api/scopes.ts'
import { answersKeptHours } from '../../platform/api/sizes.ts'
import { matchesMax } from '../../platform/db/clauses.ts'
import { audiences, type EventType } from '../../platform/events/types.ts'
import { banDurationMs, strikesAllowed } from '../../platform/keys/bans.ts'
import { graceSecondsDefault, onlyManagerGraceSeconds } from '../../platform/keys/operations.ts'
import { plans, presets } from '../../platform/keys/plans.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { dayMs, hourMs, minuteMs } from '../../platform/lib/time.ts'
import { gracedMax, strikeMinutes } from '../../platform/limits/limiter.ts'
import { failingMsMax, retryDelaysMs } from '../../platform/webhooks/schedule.ts'
import { attemptTimeoutMs } from '../../platform/webhooks/send.ts'
import { deliveriesKeptDays, webhooksMax } from '../../platform/webhooks/shapes.ts'
import { eventDiagram, keysDiagram, limitsDiagram } from './concept-diagrams.ts'
import { orderDiagram, statusDiagram } from './diagrams.ts'
import receiverJavascript from './guides/receivers/receiver.mjs' with { type: 'text' }
import receiverPython from './guides/receivers/receiver.py' with { type: 'text' }
import testingNodeTest from './guides/testing/node-test.mjs' with { type: 'text' }
import testingPytest from './guides/testing/test_orders.py' with { type: 'text' }
import testingVitest from './guides/testing/vitest.mjs' with { type: 'text' }
import {
  type ApiDocument,
  type DescribedOperation,
  type Header,
  nameOf,
  operationsIn,
  resolve,
  type Schema,
  wholeShape,
} from './reference/document.ts'
import { headerId } from './reference/responses.ts'
import { sampleDelivery } from './sample-delivery.ts'

/** Values that the guides take from the code, so that the two cannot disagree. */
export function guideValues(baseUrl: string, document: ApiDocument): Record<string, string> {
  const operations = operationsIn(document)
  const firstBan = duration(banDurationMs(1))
  const longestBan = duration(banDurationMs(Number.MAX_SAFE_INTEGER))
  return {
    baseUrl,
    setup: setup(baseUrl),
    statusDiagram,
    orderDiagram,
    keysDiagram,
    limitsDiagram: limitsDiagram(firstBan, longestBan),
    eventDiagram,
    ...sampleDelivery,
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
      Object.entries(presets).map(([preset, scopes]) => [preset, scopes.map((scope) => `\`${scope}\``).join(', ')]),
    ),
    scopeTable: table(
      ['Scope', 'Allows a key to'],
      Object.entries(scopeMeanings).map(([scope, meaning]) => [`\`${scope}\``, meaning]),
    ),
    receiverJavascript: receiverJavascript.trim(),
    receiverPython: receiverPython.trim(),
    testingNodeTest: testingNodeTest.trim(),
    testingVitest: testingVitest.trim(),
    testingPytest: testingPytest.trim(),
    attemptTimeout: duration(attemptTimeoutMs),
    retryDelays: joinWithAnd(retryDelaysMs.map(duration)),
    failingDays: String(failingMsMax / dayMs),
    deliveriesKeptDays: String(deliveriesKeptDays),
    webhooksMax: String(webhooksMax),
    graceDefault: duration(graceSecondsDefault * 1000),
    onlyManagerGrace: duration(onlyManagerGraceSeconds * 1000),
    strikeMinutes: String(strikeMinutes),
    gracedMax: String(gracedMax),
    answersKeptHours: String(answersKeptHours),
    matchesMax: formatNumber(matchesMax),
    firstBan,
    longestBan,
    eventTable: eventTable(document),
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
  }
}

/** What every guide with examples begins with. */
const setup = (
  baseUrl: string,
): string => `Set these once in your terminal. The examples need \`curl\` and \`jq\`. Responses are shown formatted, without the headers
that an example is not about, and long lists are shortened.

\`\`\`sh
export PETSTORE_URL=${baseUrl}
export PETSTORE_API_KEY=ps_your_key
\`\`\``

/** Every header of a response, with its meaning. */
function headerTable({ components }: ApiDocument): string {
  const headers = Object.entries(components.headers as Readonly<Record<string, Header>>)
  return table(
    ['Header', 'Meaning'],
    headers.map(([name, { description = '' }]) => [`[\`${name}\`](/docs#${headerId(name)})`, description]),
  )
}

/** The event types of each resource, with their data and who may see them. */
function eventTable(document: ApiDocument): string {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>
  const rows = (schemas.Event?.oneOf ?? []).map((variant) => {
    const { type = {}, data = {} } = wholeShape(document, variant).properties ?? {}
    const types = (resolve(document, type).enum ?? []) as EventType[]
    return [types.map((each) => `\`${each}\``).join(', '), nameOf(data) ?? '', types[0] ? visibleTo(types[0]) : '']
  })
  return table(['Types', '`data`', 'Visible to keys with'], rows)
}

function visibleTo(type: EventType): string {
  const [scope, othersScope] = Object.values(audiences[type])
  if (othersScope === undefined) return `\`${scope}\``
  return `\`${scope}\`, own events only; those of other keys with \`${othersScope}\` as well`
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
