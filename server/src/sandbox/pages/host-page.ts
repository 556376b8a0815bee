import type { Shop } from '../../platform/compose/shop.ts'
import { type Html, html } from '../../surfaces/pages/html.ts'
import { htmlDocument } from '../../surfaces/pages/layout.ts'
import { sandboxAssets } from './assets.ts'
import { brand, sandboxPath, sendButton, showTime } from './frame.ts'

interface ListedSandbox {
  readonly id: string
  readonly name?: string
  readonly url: string
  readonly seed: string
  readonly createdAt: string
  readonly expiresAt: string
}

interface HostSheet {
  readonly title: string
  /** What is below the heading of the site, for links that begin with this path. */
  readonly body: (root: string) => Html
}

/** A page of the host itself. */
export function hostDocument(shop: Shop, baseUrl: string, { title, body }: HostSheet): string {
  const root = rootOf(baseUrl)
  return htmlDocument(
    { baseUrl, root },
    {
      title: `${title} · ${shop.title} sandboxes`,
      description: 'Private shops for testing clients.',
      head: html`<link rel="stylesheet" href="${root}${sandboxAssets.css.path}">
<script type="module" src="${root}${sandboxAssets.hostScript.path}"></script>`,
      body: html`<header class="site-header">${brand(shop.title, root)}</header>
<main id="main" class="column wide">
${body(root)}
</main>`,
    },
  )
}

/** The path of the host's address, without a trailing slash. */
export const rootOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

/** The home page of a host: its sandboxes, and a button to create one. */
export const hostPage = (
  shop: Shop,
  baseUrl: string,
  sandboxes: readonly ListedSandbox[],
  isSignedIn: boolean,
): string =>
  hostDocument(shop, baseUrl, {
    title: 'Sandboxes',
    body: (root) => html`<h1>Sandboxes</h1>
<p class="lead">Each is a private shop for testing a client: its own data, keys, limits and webhooks, its own clock, and faults on demand.</p>
<div class="buttons">${sendButton('New sandbox', { method: 'POST', url: `${root}/sandboxes`, body: {} })}${isSignedIn && sendButton('Sign out', { method: 'DELETE', url: `${root}/sign-in`, kind: 'quiet' })}</div>
<p role="status" class="outcome"></p>
<ul class="sandboxes">${sandboxes.map((sandbox) => rowOf(shop, root, sandbox))}</ul>
${sandboxes.length === 0 && html`<p>There is none.</p>`}`,
  })

function rowOf({ hasConsole }: Shop, root: string, { id, name = id, seed, createdAt, expiresAt }: ListedSandbox): Html {
  const shop = `${root}/s/${id}`
  const links = [
    ['Requests', `${shop}${sandboxPath}/requests`],
    ['Report', `${shop}${sandboxPath}/report`],
    ...(hasConsole ? [['Console', `${shop}/console`]] : []),
    ['Reference', `${shop}/docs`],
  ]
  const end = {
    method: 'DELETE',
    url: `${root}/sandboxes/${id}`,
    kind: 'quiet',
    question: `End ${name}?`,
    consequence: 'Its data and its recorded requests are deleted.',
  }
  return html`<li>
<h2><a href="${shop}${sandboxPath}">${name}</a></h2>
<p>Created ${showTime(createdAt)}, ends ${showTime(expiresAt)}. Seed <code>${seed}</code>.</p>
<p class="links">${links.map(([screen = '', href = '']) => html`<a href="${href}" aria-label="${screen} of ${name}">${screen}</a> `)}</p>
<div class="buttons">${sendButton('End', end)}</div>
</li>`
}
