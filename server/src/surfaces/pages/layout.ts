import type { Shop } from '../../platform/compose/shop.ts'
import { assets } from './assets.ts'
import { latinFont } from './fonts.ts'
import { type Html, html } from './html.ts'

/** An entry of the navigation. */
export interface SiteLink {
  readonly path: string
  readonly name: string
}

/** The site that a page is served from. */
export interface Site {
  /** The public address, without a trailing slash. */
  readonly baseUrl: string
  /** The path prefix of every link; empty if the service is at the root of its host. */
  readonly root: string
  readonly shop: Shop
  /** Pages besides those of the service itself. */
  readonly links: readonly SiteLink[]
}

interface Sheet {
  readonly title: string
  readonly description: string
  /** The path of the page, to highlight it in the navigation; empty if it has none. */
  readonly path: string
  /** What its head has in addition to that of other pages. */
  readonly head?: Html
  readonly body: Html
}

const sections: readonly SiteLink[] = [
  { path: '/docs', name: 'Reference' },
  { path: '/docs/guides', name: 'Guides' },
  { path: '/errors', name: 'Errors' },
  { path: '/console', name: 'Console' },
  { path: '/openapi.json', name: 'OpenAPI' },
]

const footerLinks: readonly SiteLink[] = [
  { path: '/docs/guides', name: 'Guides' },
  { path: '/docs/guides/agents', name: 'Agents' },
  { path: '/openapi.json', name: 'OpenAPI' },
  { path: '/llms.txt', name: 'llms.txt' },
  { path: '/errors', name: 'Errors' },
  { path: '/status', name: 'Status' },
  { path: '/docs/guides/changelog', name: 'Changelog' },
]

/** Whether a page exists, if it is a guide: a shop may have none. */
export function isGuideServed({ guides }: Shop, path: string): boolean {
  const [, guide] = /^\/docs\/guides(?:\/([\w-]+))?/.exec(path) ?? [undefined, undefined]
  if (!path.startsWith('/docs/guides')) return true
  return guides?.groups.some((group) => guide === undefined || guide in group.guides) ?? false
}

/** The layout that all pages of a service share. */
export function layout(site: Site, { title, description, path, head, body }: Sheet): string {
  const { root, shop, links } = site
  const { title: name, version, hasConsole } = shop
  const isHere = (section: SiteLink) => path === section.path || path.startsWith(`${section.path}/`)
  const current = [...sections, ...links].findLast(isHere)
  const isServed = ({ path: to }: SiteLink) => (to === '/console' ? hasConsole : isGuideServed(shop, to))
  const hasMarkdown = path !== '' && !links.some(isHere)
  return htmlDocument(site, {
    title,
    description,
    head: html`${hasMarkdown && html`<link rel="alternate" type="text/markdown" href="${root}${path === '/' ? '/index' : path}.md">`}
<script type="module" src="${root}${assets.script.path}"></script>${head}`,
    body: html`<header class="site-header">
<a class="brand" href="${root}/"><img src="${root}${assets.icon.path}" width="24" height="24" alt=""><span>${name}</span></a>
<button type="button" class="search-open"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="7" cy="7" r="4.5"/><path d="m10.500 10.500 3.500 3.500"/></svg><span class="search-word">Search</span><kbd>/</kbd></button>
<nav aria-label="Site">
${[...sections.filter(isServed), ...links].map(
  (section) =>
    html`<a href="${root}${section.path}"${section === current && html` aria-current="page"`}>${section.name}</a>`,
)}
</nav>
<button type="button" class="theme" aria-label="Switch between light and dark colours"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6"/><path d="M8 2a6 6 0 0 1 0 12z"/></svg></button>
</header>
${body}
<footer class="site-footer">
<p>${name} ${version}${footerLinks.filter(isServed).map(({ path: to, name }) => html` · <a href="${root}${to}">${name}</a>`)}</p>
</footer>`,
  })
}

interface Document {
  readonly title: string
  readonly description: string
  readonly head: Html
  readonly body: Html
}

/** A whole HTML document, in the style of all pages. */
export function htmlDocument(
  { baseUrl, root }: Pick<Site, 'baseUrl' | 'root'>,
  { title, description, head, body }: Document,
): string {
  return html`<!doctype html>
<html lang="en" data-root="${root}" data-base="${baseUrl}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="preload" href="${root}${latinFont.path}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${root}${assets.css.path}">
<link rel="icon" type="image/svg+xml" href="${root}${assets.icon.path}">
<script src="${root}${assets.early.path}"></script>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${body}
</body>
</html>
`.text
}

/** Only our own scripts, no other hosts, no framing. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
