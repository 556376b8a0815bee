import type { WebPage } from '../../http/listener.ts'
import base from '../assets/base.css' with { type: 'text' }
import { assets } from '../assets.ts'
import { digest, fixed } from '../fixed.ts'
import { html } from '../html.ts'
import { layout, type Place, pageHeaders } from '../layout.ts'
import { bundleConsole } from './bundle.ts' with { type: 'macro' }

const { script, styles, fault } = bundleConsole()

/** Why the console is not there; empty when it is. */
export const consoleFault = fault

const css = base + styles
const scriptPath = `/assets/console.${digest(script)}.js`
const cssPath = `/assets/console.${digest(css)}.css`

// Its name changes with its content, so a browser may keep it for ever.
const asset = (path: string, type: string, text: string): WebPage => ({
  path,
  get: fixed(() => text, { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }),
})

/** The console: one page for all its addresses, which the script reads. */
export function consolePages(place: Place): WebPage[] {
  const page = script === '' ? missing(place) : fixed(() => shell(place), pageHeaders)
  return [
    { path: '/console', get: page },
    { path: '/console/*', get: page },
    asset(scriptPath, 'text/javascript; charset=utf-8', script),
    asset(cssPath, 'text/css; charset=utf-8', css),
  ]
}

const shell = ({ root }: Place): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="root" content="${root}">
<title>Pet Store console</title>
<link rel="stylesheet" href="${root}${cssPath}">
<link rel="icon" type="image/svg+xml" href="${root}${assets.icon.path}">
<script type="module" src="${root}${scriptPath}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p class="notice">The console needs JavaScript. All it does can be done through the <a href="${root}/docs">interface</a> too.</p></noscript>
</body>
</html>
`.text

/** The service works without its console, and says so. */
function missing(place: Place): WebPage['get'] {
  const body = html`<main id="main" class="column">
<h1>The console is not here</h1>
<p class="lead">It could not be built when the service started; the log has the reason. <code>npm start</code> installs what it needs.</p>
</main>`
  const sheet = { title: 'Console · Pet Store', description: 'Not built.', path: '/console', body }
  return () =>
    new Response(layout(place, sheet), { status: 503, headers: { ...pageHeaders, 'Cache-Control': 'no-store' } })
}
