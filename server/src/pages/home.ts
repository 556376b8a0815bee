import type { WebPage } from '../http/listener.ts'
import { prefersJson } from '../http/negotiate.ts'
import { countMax, type ShopCounts } from './counts.ts'
import { type Html, html } from './html.ts'
import { layout, type Place, pageHeaders } from './layout.ts'

const links = [
  { path: '/docs', name: 'Reference', about: 'Every operation, with samples and a form to try it.' },
  {
    path: '/docs/guides',
    name: 'Guides',
    about: 'Keys, errors, pages, retries, orders, limits: short, with examples.',
  },
  {
    path: '/openapi.json',
    name: 'OpenAPI description',
    about: 'For code generators and other tools, in OpenAPI 3.0.3.',
  },
  { path: '/errors', name: 'Errors', about: 'Every error code, what it means and what to do.' },
  { path: '/llms.txt', name: 'llms.txt', about: 'The same for language models, on one plain page.' },
  { path: '/readyz', name: 'Status', about: 'Whether the service can do its work now.' },
]

/** The front door: a page for people, an index for programs that ask for JSON. */
export function homePage(place: Place, counts: () => Promise<ShopCounts | undefined>): WebPage {
  const index = `${JSON.stringify(indexOf(place))}\n`
  return {
    path: '/',
    async get(request) {
      const vary = { Vary: 'Accept', 'Cache-Control': 'no-cache' }
      if (prefersJson(request.headers.get('accept'))) {
        const headers = { ...vary, 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' }
        return new Response(index, { headers })
      }
      return new Response(render(place, await counts()), { headers: { ...pageHeaders, ...vary } })
    },
  }
}

function render(place: Place, counts: ShopCounts | undefined): string {
  const body = html`<main id="main" class="column">
<h1>Pet Store</h1>
<p class="lead">An HTTP service for a shop that sells animals: the catalogue and its categories, orders, and how many of each pet are in stock. JSON in, JSON out.</p>
<dl class="counts">
${count(counts?.petsAvailable, 'pets available')}
${count(counts?.categories, 'categories')}
</dl>
<ul class="cards">
${links.map(({ path, name, about }) => html`<li><a href="${place.root}${path}"><strong>${name}</strong> ${about}</a></li>`)}
</ul>
<h2>A first request</h2>
<p>The first start of the service prints an administrator's key. <a href="${place.root}/docs/guides/keys">Getting a key</a> says how to make others.</p>
<pre tabindex="0"><code>curl -H "X-API-Key: $PETSTORE_KEY" "${place.baseUrl}/pets?status=available&amp;limit=3"</code></pre>
</main>`
  return layout(place, {
    title: 'Pet Store',
    description: 'A pet store service: catalogue, orders and stock over HTTP.',
    path: '/',
    body,
  })
}

function count(number: number | undefined, name: string): Html {
  const written = number === undefined ? '–' : number.toLocaleString('en') + (number >= countMax ? '+' : '')
  return html`<div><dt>${name}</dt><dd>${written}</dd></div>`
}

const indexOf = ({ baseUrl, version }: Place) => ({
  name: 'Pet Store',
  version,
  description: `${baseUrl}/openapi.json`,
  descriptions: {
    '3.0 json': `${baseUrl}/openapi.json`,
    '3.0 yaml': `${baseUrl}/openapi.yaml`,
    '3.1 json': `${baseUrl}/openapi-3.1.json`,
  },
  reference: `${baseUrl}/docs`,
  guides: `${baseUrl}/docs/guides`,
  errors: `${baseUrl}/errors`,
  agents: `${baseUrl}/llms.txt`,
  health: `${baseUrl}/healthz`,
  ready: `${baseUrl}/readyz`,
})
