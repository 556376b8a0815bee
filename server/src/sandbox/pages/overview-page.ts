import type { Report } from '@petstore/judge/report'
import { codeBlock } from '../../surfaces/pages/code.ts'
import { html } from '../../surfaces/pages/html.ts'
import { isGuideServed, type Site } from '../../surfaces/pages/layout.ts'
import type { ClockState } from './clock-page.ts'
import { sandboxPage, sandboxPath, sendButton, showTime } from './frame.ts'
import { verdictCounts } from './report-page.ts'

interface Overview {
  readonly sandbox: {
    readonly name?: string
    readonly url: string
    readonly apiKey: string
    readonly seed: string
    readonly expiresAt: string
  }
  readonly clock: ClockState
  readonly faults: number
  readonly report: Report
}

const testing = '/docs/guides/testing'

/** What this sandbox is, and its current state. */
export function overviewPage(
  site: Site,
  { sandbox, clock, faults, report }: Overview,
  { needsSignIn }: { readonly needsSignIn: boolean },
): string {
  const { name = 'Sandbox', url, apiKey, seed, expiresAt } = sandbox
  const reset = {
    method: 'POST',
    url: `${site.root}${sandboxPath}/reset`,
    body: {},
    kind: 'danger',
    question: 'Reset this sandbox?',
    consequence: 'Its data, keys and recorded requests are deleted, and it returns to its initial state.',
  }
  const signOut = { method: 'DELETE', url: `${site.root}${sandboxPath}/sign-in`, kind: 'quiet' }
  return sandboxPage(site, {
    path: '',
    title: name,
    body: html`<p class="lead">A private shop for testing a client: its own data, keys, limits and webhooks, its own clock, and faults on demand.${isGuideServed(site.shop, testing) && html` See <a href="${site.root}${testing}">Test your client</a>.`}</p>
<dl class="counts">
${verdictCounts(report)}
<div><dt>request${report.requests.seen === 1 ? '' : 's'}</dt><dd>${report.requests.seen}</dd></div>
<div><dt>fault${faults === 1 ? '' : 's'}</dt><dd>${faults}</dd></div>
</dl>
<dl class="facts-list">
<div><dt>Time in the shop</dt><dd>${showTime(clock.at)}${clock.frozen && ' · frozen'}</dd></div>
<div><dt>Seed</dt><dd>${seed}</dd></div>
<div><dt>Ends</dt><dd>${showTime(expiresAt)}</dd></div>
</dl>
${needsSignIn && html`<div class="buttons">${sendButton('Sign out', signOut)}</div>`}
<h2>Point your client at it</h2>
${codeBlock(`export PETSTORE_URL=${url}\nexport PETSTORE_API_KEY=${apiKey}`, 'bash')}
${
  report.requests.seen === 0 &&
  html`<p>Next, send a first request. It appears under <a href="${site.root}${sandboxPath}/requests">Requests</a>, and the report begins.</p>
${codeBlock(`curl -H "X-API-Key: ${apiKey}" ${url}${site.shop.firstPath}`, 'bash')}`
}
<h2>Start over</h2>
<p>Returns to the initial state: data, keys and clock. Faults and requests are forgotten.</p>
<div class="buttons">${sendButton('Reset', reset)}</div>`,
  })
}
