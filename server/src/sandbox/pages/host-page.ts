import { html } from '../../pages/html.ts'
import { htmlDocument } from '../../pages/layout.ts'
import { sandboxAssets } from './assets.ts'
import { brand, sandboxPath, sendButton, showTime } from './frame.ts'

interface ListedSandbox {
  readonly id: string
  readonly url: string
  readonly seed: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** The home page of a host: its sandboxes, and a button for another. */
export function hostPage(baseUrl: string, sandboxes: readonly ListedSandbox[]): string {
  const root = new URL(baseUrl).pathname.replace(/\/$/, '')
  return htmlDocument(
    { baseUrl, root },
    {
      title: 'Pet Store sandboxes',
      description: 'Private pet shops for testing clients.',
      head: html`<link rel="stylesheet" href="${root}${sandboxAssets.css.path}">
<script type="module" src="${root}${sandboxAssets.hostScript.path}"></script>`,
      body: html`<header class="site-header">${brand(root)}</header>
<main id="main" class="column wide">
<h1>Sandboxes</h1>
<p class="lead">Each is a private shop for testing a client: its own data, keys, limits and webhooks, its own clock, and faults on demand.</p>
<div class="buttons">${sendButton('New sandbox', { method: 'POST', url: `${root}/sandboxes`, body: {} })}</div>
<p role="status" class="outcome"></p>
<ul class="sandboxes">${sandboxes.map(({ id, seed, createdAt, expiresAt }) => {
        const shop = `${root}/s/${id}`
        return html`<li>
<h2><a href="${shop}${sandboxPath}">${id}</a></h2>
<p>Created ${showTime(createdAt)}, ends ${showTime(expiresAt)}. Seed <code>${seed}</code>.</p>
<p class="links">${[
          ['Requests', `${shop}${sandboxPath}/requests`],
          ['Report', `${shop}${sandboxPath}/report`],
          ['Console', `${shop}/console`],
          ['Reference', `${shop}/docs`],
        ].map(([name = '', href = '']) => html`<a href="${href}" aria-label="${name} of ${id}">${name}</a> `)}</p>
<div class="buttons">${sendButton('End', { method: 'DELETE', url: `${root}/sandboxes/${id}`, kind: 'quiet' })}</div>
</li>`
      })}</ul>
${sandboxes.length === 0 && html`<p>There is none.</p>`}
</main>`,
    },
  )
}
