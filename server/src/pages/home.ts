import type { WebPage } from '../http/listener.ts'
import { prefersJson, prefersMarkdown } from '../http/negotiate.ts'
import { codeBlock } from './code.ts'
import { countMax, type ShopCounts } from './counts.ts'
import { type Html, html } from './html.ts'
import { layout, type Place, pageHeaders } from './layout.ts'

const links = [
  {
    path: '/console',
    name: 'Console',
    about: 'Run the shop in the browser: catalogue, orders, stock, keys, webhooks.',
  },
  { path: '/docs', name: 'Reference', about: 'Every operation, with samples and a form to try it.' },
  {
    path: '/docs/guides',
    name: 'Guides',
    about: 'Keys, errors, pages, retries, orders, limits: short, with examples.',
  },
  {
    path: '/openapi.json',
    name: 'OpenAPI description',
    about: 'OpenAPI 3.0.3, for Postman, Bruno, code generators and other tools to import.',
  },
  { path: '/errors', name: 'Errors', about: 'Every error code, what it means and what to do.' },
  {
    path: '/llms.txt',
    name: 'llms.txt',
    about: 'For language models; every page is Markdown too, with .md behind its address.',
  },
  { path: '/status', name: 'Status', about: 'Whether the service can do its work now, and how it has been.' },
]

/** The front door: a page for people, an index for programs that ask for JSON, the summary for language models. */
export function homePages(
  place: Place,
  counts: () => Promise<ShopCounts | undefined>,
  summary: () => string,
): WebPage[] {
  const index = `${JSON.stringify(indexOf(place))}\n`
  const vary = { Vary: 'Accept', 'Cache-Control': 'no-cache' }
  const open = { ...vary, 'Access-Control-Allow-Origin': '*' }
  const markdown = () =>
    new Response(summary(), { headers: { ...open, 'Content-Type': 'text/markdown; charset=utf-8' } })
  return [
    {
      path: '/',
      async get(request) {
        const accept = request.headers.get('accept')
        if (prefersMarkdown(accept)) return markdown()
        if (prefersJson(accept))
          return new Response(index, { headers: { ...open, 'Content-Type': 'application/json' } })
        return new Response(render(place, await counts()), { headers: { ...pageHeaders, ...vary } })
      },
    },
    { path: '/index.md', get: markdown },
  ]
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
<p>The first start of the service prints an administrator's key; the <a href="${place.root}/docs/guides/quickstart">quickstart</a> goes on from there. <a href="${place.root}/docs/guides/keys">Getting a key</a> says how to make others.</p>
${codeBlock(`curl -H "X-API-Key: $PETSTORE_API_KEY" "${place.baseUrl}/pets?status=available&limit=3"`, 'bash')}
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
  console: `${baseUrl}/console`,
  reference: `${baseUrl}/docs`,
  guides: `${baseUrl}/docs/guides`,
  errors: `${baseUrl}/errors`,
  agents: `${baseUrl}/llms.txt`,
  status: `${baseUrl}/status`,
  health: `${baseUrl}/healthz`,
  ready: `${baseUrl}/readyz`,
})
