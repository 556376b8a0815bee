import { type Html, html } from '../../surfaces/pages/html.ts'
import type { Site } from '../../surfaces/pages/layout.ts'
import { sandboxPage, sandboxPath, sendButton } from './frame.ts'

export interface FaultRule {
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly fault: string
  readonly latencyMs?: number | undefined
  readonly rate?: number | undefined
  readonly times?: number | undefined
}

const otherResponses = ['cut', 'cut_after', 'slow']

/** What goes wrong in this shop, and a form to add to it. */
export function faultsPage(
  site: Site,
  rules: readonly FaultRule[],
  { operations, codes }: { operations: readonly string[]; codes: readonly string[] },
): string {
  const url = `${site.root}${sandboxPath}/faults`
  const put = (text: string, left: readonly FaultRule[]) =>
    sendButton(text, { method: 'PUT', url, body: { rules: left }, kind: 'quiet' })
  return sandboxPage(site, {
    path: '/faults',
    title: 'Faults',
    body: html`<p class="lead">What goes wrong on purpose. A fault looks exactly as the real thing does. For a single request, send <code>Prefer: code=503</code> or <code>Prefer: code=insufficient_stock</code> instead.</p>
${rules.length === 0 ? html`<p>Everything works.</p>` : tableOf(rules, put)}
<h2>Add a fault</h2>
<form class="fields-form" data-send="PUT ${url}" data-rules="${JSON.stringify(rules)}">
<label>Operation <select name="operation"><option value="">every operation</option>${optionsOf(operations)}</select></label>
<label>Response <select name="fault">${optionsOf([...otherResponses, ...codes])}</select></label>
<label>Times <input type="number" name="times" min="1" max="10000" placeholder="always"></label>
<label>Share of requests <input type="number" name="rate" min="0" max="1" step="0.01" placeholder="all"></label>
<label>Delay in ms <input type="number" name="latencyMs" min="0" max="60000" placeholder="none"></label>
<button>Add</button>
</form>
<p class="lead"><code>cut</code> closes the connection before anything is done, <code>cut_after</code> when it is done: only a client that uses idempotency keys survives that. <code>slow</code> needs a delay. Give times or a share, not both.</p>`,
  })
}

const optionsOf = (values: readonly string[]): Html[] => values.map((value) => html`<option>${value}</option>`)

function tableOf(rules: readonly FaultRule[], put: (text: string, left: readonly FaultRule[]) => Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Faults"><table>
<thead><tr><th>Where</th><th>Response</th><th>How often</th><th>Delay</th><th><span class="for-screen-readers">Remove</span></th></tr></thead>
<tbody>${rules.map(
    (rule) => html`<tr>
<td>${whereOf(rule)}</td><td><code>${rule.fault}</code></td><td>${oftenOf(rule)}</td><td>${rule.latencyMs === undefined ? '–' : `${rule.latencyMs} ms`}</td>
<td>${put(
      'Remove',
      rules.filter((other) => other !== rule),
    )}</td>
</tr>`,
  )}</tbody></table></div>
<div class="buttons">${put('Remove all', [])}</div>`
}

const whereOf = ({ operation, method, path }: FaultRule): string =>
  [operation, method, path].filter((part) => part !== undefined).join(' ') || 'every operation'

function oftenOf({ times, rate }: FaultRule): string {
  if (times !== undefined) return `${times} more`
  return rate === undefined ? 'always' : `${Math.round(rate * 1000) / 10} %`
}
