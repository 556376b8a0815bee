import { type Html, html } from '../../surfaces/pages/html.ts'
import type { Site } from '../../surfaces/pages/layout.ts'
import type { RecordedRequest } from '../recorded.ts'
import { sandboxPage, sandboxPath, showTime } from './frame.ts'

/** What the sandbox received. Its script adds the details of a request, the search and the command to repeat it. */
export const requestsPage = (site: Site, requests: readonly RecordedRequest[]): string =>
  sandboxPage(site, {
    path: '/requests',
    title: 'Requests',
    body: html`<p class="lead">The last 1,000 requests, newest first, with headers, bodies and responses. Secrets are removed.</p>
${requests.length === 0 ? html`<p>Nothing was received yet.</p>` : listOf(site, requests)}`,
  })

const listOf = ({ root }: Site, requests: readonly RecordedRequest[]): Html =>
  html`<div class="tools">
<label for="find-request">Search</label>
<input id="find-request" type="search" placeholder="a path, a status, an id, a word in a body" autocomplete="off">
<a href="${root}${sandboxPath}/requests.har" download="sandbox.har">Download HAR</a>
</div>
<p class="found-requests" aria-live="polite">${requests.length} request${requests.length === 1 ? '' : 's'}</p>
<ol class="requests" reversed start="${requests[0]?.id ?? 1}">${requests.map(rowOf)}</ol>`

const rowOf = ({ id, at, method, target, status, received, durationMs, fault }: RecordedRequest): Html =>
  html`<li><details id="request-${id}" data-request="${id}">
<summary><span class="request-id">${id}</span> <span class="method ${method.toLowerCase()}">${method}</span> <code>${target}</code> <span class="status s${status === null ? (received === 'open' ? '' : 5) : String(status).slice(0, 1)}">${status ?? received}</span>${status !== null && received !== 'complete' && html` <span class="badge">${received}</span>`}${fault && html` <span class="badge experimental">${fault}</span>`} <span class="when">${durationMs !== null && html`${Math.round(durationMs)} ms · `}${showTime(at)}</span></summary>
</details></li>
`
