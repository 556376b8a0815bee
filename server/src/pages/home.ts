import type { WebPage } from '../http/handlers.ts'
import { prefersJson, prefersMarkdown } from '../http/negotiate.ts'
import { codeBlock } from './code.ts'
import { countMax, type ShopCounts } from './counts.ts'
import { type Html, html } from './html.ts'
import { layout, pageHeaders, type Site } from './layout.ts'

const links = [
  {
    path: '/console',
    name: 'Console',
    about: 'Manage your shop in the browser: catalogue, orders, stock, keys, webhooks.',
  },
  { path: '/docs', name: 'Reference', about: 'Every operation, with samples and a form to try it.' },
  {
    path: '/docs/guides',
    name: 'Guides',
    about: 'Short guides with examples: keys, errors, pagination, retries, orders, limits.',
  },
  {
    path: '/openapi.json',
    name: 'OpenAPI description',
    about: 'OpenAPI 3.0.3, to import into Postman, Bruno, code generators and other tools.',
  },
  { path: '/errors', name: 'Errors', about: 'Every error code, what it means and how to fix it.' },
  {
    path: '/docs/guides/agents',
    name: 'Agents',
    about: 'Let an assistant run the shop, over the Model Context Protocol.',
  },
  {
    path: '/llms.txt',
    name: 'llms.txt',
    about: 'For language models. Add .md to any page for its Markdown version.',
  },
  { path: '/status', name: 'Status', about: 'Is the service up, and how has it been?' },
]

/** The home page: HTML for people, a JSON index for programs, the summary in Markdown for language models. */
export function homePages(site: Site, counts: () => Promise<ShopCounts | undefined>, summary: () => string): WebPage[] {
  const index = `${JSON.stringify(indexOf(site))}\n`
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
        return new Response(render(site, await counts()), { headers: { ...pageHeaders, ...vary } })
      },
    },
    { path: '/index.md', get: markdown },
  ]
}

function render(site: Site, counts: ShopCounts | undefined): string {
  const body = html`<main id="main" class="column">
<h1>Pet Store</h1>
<p class="lead">An HTTP API for a pet shop: catalogue, categories, orders and stock. JSON in, JSON out.</p>
<dl class="counts">
${count(counts?.petsAvailable, 'pets available')}
${count(counts?.categories, 'categories')}
</dl>
<ul class="cards">
${links.map(({ path, name, about }) => html`<li><a href="${site.root}${path}"><strong>${name}</strong> ${about}</a></li>`)}
</ul>
<h2>Your first request</h2>
<p>The service prints an admin key the first time it starts. Continue with the <a href="${site.root}/docs/guides/quickstart">quickstart</a>, or see <a href="${site.root}/docs/guides/keys">Getting a key</a> to create more.</p>
${codeBlock(`curl -H "X-API-Key: $PETSTORE_API_KEY" "${site.baseUrl}/pets?status=available&limit=3"`, 'bash')}
</main>`
  return layout(site, {
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

const indexOf = ({ baseUrl, version }: Site) => ({
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
  mcp: `${baseUrl}/mcp/server-card`,
  status: `${baseUrl}/status`,
  health: `${baseUrl}/healthz`,
  ready: `${baseUrl}/readyz`,
})
