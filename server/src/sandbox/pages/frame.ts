import { assets } from '../../surfaces/pages/assets.ts'
import { type Html, html } from '../../surfaces/pages/html.ts'
import { layout, type Site, type SiteLink } from '../../surfaces/pages/layout.ts'
import { sandboxAssets } from './assets.ts'

/** Where the pages of a sandbox are, under its address. */
export const sandboxPath = '/_sandbox'

/** What a shop's navigation links to, if it is a sandbox. */
export const sandboxLinks: readonly SiteLink[] = [{ path: sandboxPath, name: 'Sandbox' }]

const screens = [
  { path: '', name: 'Overview' },
  { path: '/requests', name: 'Requests' },
  { path: '/report', name: 'Report' },
  { path: '/clock', name: 'Clock' },
  { path: '/faults', name: 'Faults' },
]

interface Screen {
  readonly path: string
  readonly title: string
  readonly body: Html
}

/** A page about a sandbox, in the layout of its shop. */
export function sandboxPage(site: Site, { path, title, body }: Screen): string {
  return layout(site, {
    title: `${title} · Sandbox · ${site.shop.title}`,
    description: 'A private shop for testing a client.',
    path: `${sandboxPath}${path}`,
    head: headOf(`${site.root}${sandboxPath}`),
    body: html`<main id="main" class="column wide">
<nav class="screens" aria-label="Sandbox">${screens.map(
      (screen) =>
        html`<a href="${site.root}${sandboxPath}${screen.path}"${screen.path === path && html` aria-current="page"`}>${screen.name}</a>`,
    )}</nav>
<h1>${title}</h1>
${body}
<p role="status" class="outcome"></p>
</main>`,
  })
}

/** The style and script of these pages, under the given path. */
export const headOf = (path: string): Html =>
  html`<link rel="stylesheet" href="${path}${sandboxAssets.css.path}">
<script type="module" src="${path}${sandboxAssets.script.path}"></script>`

interface Sent {
  readonly method: string
  readonly url: string
  readonly body?: object
  readonly kind?: string
  /** What to ask before it is sent, and what it does. */
  readonly question?: string
  readonly consequence?: string
}

/** A button that sends a request when it is pressed. Then the page is loaded again. */
export const sendButton = (text: string, { method, url, body, kind = '', question, consequence }: Sent): Html =>
  html`<button type="button" class="${kind}" data-send="${method} ${url}"${body && html` data-body="${JSON.stringify(body)}"`}${question && html` data-question="${question}" data-consequence="${consequence ?? ''}"`}>${text}</button>`

/** A time to the second. */
export const showTime = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`

export const brand = (title: string, root: string): Html =>
  html`<a class="brand" href="${root}/"><img src="${root}${assets.icon.path}" width="24" height="24" alt=""><span>${title} sandboxes</span></a>`
