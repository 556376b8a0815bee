import type { WebPage } from '../http/listener.ts'
import { prefersMarkdown } from '../http/negotiate.ts'
import { formatNumber } from '../lib/text.ts'
import { dayMs, hourMs, minuteMs } from '../lib/time.ts'
import { html } from './html.ts'
import { layout, type Place, pageHeaders } from './layout.ts'

/** How this node is. */
export interface NodeStatus {
  /** `ok`, or in a word why it cannot do its work. */
  readonly status: string
  readonly database: string
  readonly engine: 'sqlite' | 'postgres'
  /** Who counts requests at the moment: all nodes together, or this one on its own. */
  readonly limits: 'shared' | 'own'
  readonly startedAt: number
  readonly now: number
  readonly lastMinute: { readonly requests: number; readonly refused: number; readonly failed: number }
}

/** Whether the service works, for a person. Load balancers ask /readyz. */
export function statusPages(place: Place, read: () => Promise<NodeStatus>): WebPage[] {
  const answer = async (asMarkdown: boolean) => {
    const node = await read()
    const headers = asMarkdown ? { 'Content-Type': 'text/markdown; charset=utf-8' } : pageHeaders
    return new Response(asMarkdown ? markdownOf(place, node) : pageOf(place, node), {
      status: node.status === 'ok' ? 200 : 503,
      headers: { ...headers, 'Cache-Control': 'no-store', Vary: 'Accept' },
    })
  }
  return [
    { path: '/status', get: (request) => answer(prefersMarkdown(request.headers.get('accept'))) },
    { path: '/status.md', get: () => answer(true) },
  ]
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const limitModes = { shared: 'counted by all nodes together', own: 'counted by this node' }

function factsOf({ version }: Place, node: NodeStatus): [name: string, value: string][] {
  const { requests, refused, failed } = node.lastMinute
  const share = requests === 0 ? '' : ` (${((failed / requests) * 100).toFixed(failed > 0 ? 2 : 0)} %)`
  return [
    ['Version', version],
    ['Running for', duration(node.now - node.startedAt)],
    ['Started', new Date(node.startedAt).toUTCString()],
    ['Database', `${engines[node.engine]}, ${node.database}`],
    ['Limits', limitModes[node.limits]],
    ['Requests in the last minute', formatNumber(requests)],
    ['of these refused (4xx)', formatNumber(refused)],
    ['of these failed (5xx)', formatNumber(failed) + share],
  ]
}

const headline = ({ status }: NodeStatus): string =>
  status === 'ok' ? 'The service can do its work.' : `The service cannot do its work now: ${status}.`

function pageOf(place: Place, node: NodeStatus): string {
  const body = html`<main id="main" class="column">
<h1>Status</h1>
<p class="health ${node.status === 'ok' ? 'good' : 'bad'}">${headline(node)}</p>
<dl class="facts-list">${factsOf(place, node).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="lead">This is the node that answered you, as it is now; reload for news. Programs ask <a href="${place.root}/readyz">/readyz</a> whether it can work and <a href="${place.root}/healthz">/healthz</a> whether it answers.</p>
</main>`
  return layout(place, {
    title: 'Status · Pet Store',
    description: 'Whether the Pet Store service can do its work now.',
    path: '/status',
    body,
  })
}

const markdownOf = (place: Place, node: NodeStatus): string =>
  `# Status\n\n${headline(node)}\n\n${factsOf(place, node)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n')}\n`

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
