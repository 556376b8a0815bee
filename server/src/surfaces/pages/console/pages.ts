import type { WebPage } from '../../http/listener.ts'
import base from '../assets/base.css' with { type: 'text' }
import { asset, assets, serveAsset } from '../assets.ts'
import { fontFaces, latinFont } from '../fonts.ts'
import { html } from '../html.ts'
import { layout, pageHeaders, type Site } from '../layout.ts'
import { serveText } from '../serve-text.ts'
import { bundleConsole } from './bundle.ts' with { type: 'macro' }

const { script, styles, fault } = bundleConsole()

/** Why there is no console; empty if there is one. */
export const consoleFault = fault

const scriptAsset = asset('console', 'js', script)
const cssAsset = asset('console', 'css', fontFaces + base + styles)

/** The console: one page for all its addresses, routed by its script. */
export function consolePages(site: Site): WebPage[] {
  const page = script === '' ? missing(site) : serveText(() => shell(site), pageHeaders)
  return [
    { path: '/console', get: page },
    { path: '/console/*', get: page },
    ...[scriptAsset, cssAsset].map(serveAsset),
  ]
}

const shell = ({ root, links, shop }: Site): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="root" content="${root}">
${links.length > 0 && html`<meta name="links" content="${JSON.stringify(links)}">`}
<title>${shop.title} console</title>
<link rel="preload" href="${root}${latinFont.path}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${root}${cssAsset.path}">
<link rel="icon" type="image/svg+xml" href="${root}${assets.icon.path}">
<script src="${root}${assets.early.path}"></script>
<script type="module" src="${root}${scriptAsset.path}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p class="notice">The console needs JavaScript. Everything it does is also available through the <a href="${root}/docs">API</a>.</p></noscript>
</body>
</html>
`.text

/** Shown when there is no console; the service works without it. */
function missing(site: Site): WebPage['get'] {
  const body = html`<main id="main" class="column">
<h1>The console is not built</h1>
<p class="lead">Everything else works. The log of the service says why; in the repository, <code>npm start</code> installs what the console needs and builds it.</p>
</main>`
  const sheet = { title: `Console · ${site.shop.title}`, description: 'Not built.', path: '/console', body }
  return () =>
    new Response(layout(site, sheet), { status: 503, headers: { ...pageHeaders, 'Cache-Control': 'no-store' } })
}
