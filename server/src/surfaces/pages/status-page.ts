import { formatNumber } from '../../platform/lib/text.ts'
import { dayMs, hourMs, minuteMs } from '../../platform/lib/time.ts'
import type { WebPage } from '../http/listener.ts'
import { prefersMarkdown } from '../http/request.ts'
import { type Html, html } from './html.ts'
import { layout, pageHeaders, type Site } from './layout.ts'

/** The state of this node. */
export interface NodeStatus {
  /** `ok`, or one word that says why the node cannot serve. */
  readonly status: string
  readonly database: string
  readonly engine: 'sqlite' | 'postgres'
  /** Whether all nodes share their rate counters at the moment, or this one counts alone. */
  readonly limits: 'shared' | 'own'
  readonly startedAt: number
  readonly now: number
  readonly lastMinute: Counts
  /** The last 24 hours by hour, the oldest first. */
  readonly lastDay: readonly (Counts & { readonly from: number })[]
}

interface Counts {
  readonly requests: number
  readonly rejected: number
  readonly failed: number
}

/** The status page for people. Load balancers use /readyz. */
export function statusPages(site: Site, read: () => Promise<NodeStatus>): WebPage[] {
  const response = async (asMarkdown: boolean) => {
    const node = await read()
    const headers = asMarkdown ? { 'Content-Type': 'text/markdown; charset=utf-8' } : pageHeaders
    return new Response(asMarkdown ? markdownOf(site, node) : pageOf(site, node), {
      status: node.status === 'ok' ? 200 : 503,
      headers: { ...headers, 'Cache-Control': 'no-store', Vary: 'Accept' },
    })
  }
  return [
    { path: '/status', get: (request) => response(prefersMarkdown(request.headers.get('accept'))) },
    { path: '/status.md', get: () => response(true) },
  ]
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const limitModes = { shared: 'counted by all nodes together', own: 'counted by this node' }

function factsOf({ shop: { version } }: Site, node: NodeStatus): [name: string, value: string][] {
  const { requests, rejected, failed } = node.lastMinute
  const share = requests === 0 ? '' : ` (${((failed / requests) * 100).toFixed(failed > 0 ? 2 : 0)} %)`
  return [
    ['Version', version],
    ['Running for', duration(node.now - node.startedAt)],
    ['Started', new Date(node.startedAt).toUTCString()],
    ['Database', `${engines[node.engine]}, ${node.database}`],
    ['Limits', limitModes[node.limits]],
    ['Requests in the last minute', formatNumber(requests)],
    ['Rejected (4xx)', formatNumber(rejected)],
    ['Failed (5xx)', formatNumber(failed) + share],
  ]
}

const headline = ({ status }: NodeStatus): string =>
  status === 'ok' ? 'The service is up.' : `The service is unavailable: ${status}.`

function pageOf(site: Site, node: NodeStatus): string {
  const body = html`<main id="main" class="column">
<h1>Status</h1>
<p class="health ${node.status === 'ok' ? 'good' : 'bad'}">${headline(node)}</p>
<dl class="facts-list">${factsOf(site, node).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${dayOf(node)}
<p class="lead">The current state of the node that served this page; reload to update. For health checks, use <a href="${site.root}/readyz">/readyz</a> (ready for requests) and <a href="${site.root}/healthz">/healthz</a> (process is alive).</p>
</main>`
  return layout(site, {
    title: `Status · ${site.shop.title}`,
    description: `The current status of ${site.shop.title} service.`,
    path: '/status',
    body,
  })
}

const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 16)

/** The hours of the last day in which this node ran, the oldest first. The first one begins when the node started. */
const hoursOf = ({ lastDay, startedAt }: NodeStatus): NodeStatus['lastDay'] =>
  lastDay
    .filter(({ from }) => from + hourMs > startedAt)
    .map((hour) => ({ ...hour, from: Math.max(hour.from, startedAt) }))

/** The number of hours from one time below the bars to the next. */
const labelEvery = 6

/** The last day as bars that are also a table: green where all went well, red for failures, nothing where the node did not run. */
function dayOf(node: NodeStatus): Html {
  const hours = hoursOf(node)
  const before = node.lastDay.length - hours.length
  const most = Math.max(1, ...hours.map(({ requests }) => requests))
  const sum = (field: keyof Counts) => hours.reduce((total, hour) => total + hour[field], 0)
  return html`<h2 id="day">The last day</h2>
<p class="lead">${formatNumber(sum('requests'))} requests to this node since ${timeOf(hours[0]?.from ?? node.startedAt)} UTC, ${formatNumber(sum('failed'))} of them failed.${before > 0 && ' There is no data from before it started.'}</p>
<div class="day" aria-hidden="true">
<div class="day-scale"><span>${formatNumber(most)}</span><span>0</span></div>
<svg viewBox="0 0 240 48" preserveAspectRatio="none">${hours.map(({ requests, failed }, index) => {
    const x = (before + index) * 10 + 1
    const height = Math.round((requests / most) * 46)
    const failedHeight = failed === 0 ? 0 : Math.max(2, Math.round((failed / most) * 46))
    return html`<rect class="hour" x="${x}" y="${47 - height}" width="8" height="${height + 1}"/>${failed > 0 && html`<rect class="failed" x="${x}" y="${48 - failedHeight}" width="8" height="${failedHeight}"/>`}`
  })}</svg>
<div class="day-times">${node.lastDay.filter((_, index) => index % labelEvery === 0).map(({ from }) => html`<span>${timeOf(from)}</span>`)}<span>now</span></div>
</div>
<details><summary>By hour</summary>
<table><thead><tr><th>From, UTC</th><th>Requests</th><th>Rejected</th><th>Failed</th></tr></thead>
<tbody>${hours
    .toReversed()
    .map(
      ({ from, requests, rejected, failed }) =>
        html`<tr><td>${timeOf(from)}</td><td>${formatNumber(requests)}</td><td>${formatNumber(rejected)}</td><td>${formatNumber(failed)}</td></tr>`,
    )}</tbody></table></details>`
}

const markdownOf = (site: Site, node: NodeStatus): string =>
  `# Status\n\n${headline(node)}\n\n${factsOf(site, node)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n')}\n\n${dayAsMarkdown(node)}`

const dayAsMarkdown = (node: NodeStatus): string =>
  `| From, UTC | Requests | Rejected | Failed |\n| --- | --- | --- | --- |\n${hoursOf(node)
    .map(({ from, requests, rejected, failed }) => `| ${timeOf(from)} | ${requests} | ${rejected} | ${failed} |\n`)
    .join('')}`

function duration(ms: number): string {
  const parts = [
    [Math.floor(ms / dayMs), 'd'],
    [Math.floor((ms % dayMs) / hourMs), 'h'],
    [Math.floor((ms % hourMs) / minuteMs), 'min'],
    [Math.floor((ms % minuteMs) / 1000), 's'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).slice(0, 2)
  return shown.length === 0 ? '0 s' : shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}
