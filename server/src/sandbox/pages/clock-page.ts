import { html } from '../../surfaces/pages/html.ts'
import type { Site } from '../../surfaces/pages/layout.ts'
import { sandboxPage, sandboxPath, sendButton, showTime } from './frame.ts'

export interface ClockState {
  readonly at: string
  readonly frozen: boolean
}

const steps = [
  { name: '1 minute', seconds: 60 },
  { name: '1 hour', seconds: 3_600 },
  { name: '1 day', seconds: 86_400 },
  { name: '30 days', seconds: 30 * 86_400 },
]

/** The time of the shop, and how to move it. */
export function clockPage(site: Site, { at, frozen }: ClockState): string {
  const url = `${site.root}${sandboxPath}/clock`
  const set = (text: string, body: object) => sendButton(text, { method: 'PUT', url, body, kind: 'quiet' })
  return sandboxPage(site, {
    path: '/clock',
    title: 'Clock',
    body: html`<p class="lead">The shop lives in this time: limits, bans, expiry, the sunset, retries of webhooks. What is due happens in order while the clock moves.</p>
<p class="health">${showTime(at)}${frozen && ' · frozen'}</p>
<h2>Move ahead</h2>
<div class="buttons">${steps.map(({ name, seconds }) => set(name, { advanceSeconds: seconds }))}</div>
<form class="inline" data-send="PUT ${url}">
<label>To a later time (UTC) <input type="datetime-local" step="1" name="at" value="${at.slice(0, 19)}" required></label>
<button class="quiet">Set</button>
</form>
<h2>Let it stand</h2>
<div class="buttons">${frozen ? set('Let it run', { frozen: false }) : set('Freeze', { frozen: true })}</div>`,
  })
}
