import { type Html, html } from '../../surfaces/pages/html.ts'
import type { Site } from '../../surfaces/pages/layout.ts'
import type { FaultRule } from '../fault-rules.ts'
import { sandboxPage, sandboxPath, sendButton } from './frame.ts'

/** What goes wrong in this shop, and a form to add to it. */
export function faultsPage(
  site: Site,
  rules: readonly FaultRule[],
  { operations, faults }: { operations: readonly string[]; faults: readonly string[] },
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
<label>Response <select name="fault">${optionsOf(faults)}</select></label>
<label>Times <input type="number" name="times" min="1" max="10000" placeholder="always"></label>
<label>Share of requests <input type="number" name="rate" min="0" max="1" step="0.01" placeholder="all"></label>
<label>Attempt of a call <input type="number" name="nth" min="1" max="10000" placeholder="each"></label>
<label>Delay in ms <input type="number" name="latencyMs" min="0" max="60000" placeholder="none"></label>
<label>Retry-After in s <input type="number" name="retryAfterSeconds" min="0" max="86400" placeholder="as usual"></label>
<button>Add</button>
</form>
<p class="lead"><code>cut</code> closes the connection before anything is done, <code>cut_after</code> when it is done, <code>cut_body</code> in the middle of the response: only a client that uses idempotency keys survives these. <code>slow</code> responds late, when it is done; <code>slow_before</code> waits before it is done. Both need a delay. Give times or a share, not both. An attempt is one of the same operation, key, path, query and body. Rules for headers and fields of the body are set by <code>PUT</code>.</p>`,
  })
}

const optionsOf = (values: readonly string[]): Html[] => values.map((value) => html`<option>${value}</option>`)

function tableOf(rules: readonly FaultRule[], put: (text: string, left: readonly FaultRule[]) => Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Faults"><table>
<thead><tr><th>Where</th><th>Response</th><th>How often</th><th>Delay</th><th><span class="for-screen-readers">Remove</span></th></tr></thead>
<tbody>${rules.map(
    (rule) => html`<tr>
<td>${whereOf(rule)}</td><td><code>${rule.fault}</code></td><td>${oftenOf(rule)}</td><td>${laterOf(rule)}</td>
<td>${put(
      'Remove',
      rules.filter((other) => other !== rule),
    )}</td>
</tr>`,
  )}</tbody></table></div>
<div class="buttons">${put('Remove all', [])}</div>`
}

function whereOf({ operation, method, path, header = {}, body = {} }: FaultRule): string {
  const fields = Object.entries({ ...header, ...body }).map(([name, value]) => `${name}: ${value}`)
  return [operation, method, path, ...fields].filter((part) => part !== undefined).join(' ') || 'every operation'
}

function oftenOf({ times, rate, nth }: FaultRule): string {
  const attempt = nth === undefined ? '' : `, attempt ${nth}`
  if (times !== undefined) return `${times} more${attempt}`
  return `${rate === undefined ? 'always' : `${Math.round(rate * 1000) / 10} %`}${attempt}`
}

const laterOf = ({ latencyMs, retryAfterSeconds, retryAfterDate }: FaultRule): string =>
  [
    ...(latencyMs === undefined ? [] : [`${latencyMs} ms`]),
    ...(retryAfterSeconds === undefined
      ? []
      : [`Retry-After: ${retryAfterSeconds} s${retryAfterDate ? ' as a date' : ''}`]),
  ].join(', ') || '–'
