import type { WebPage } from '../http/handlers.ts'
import { prefersJson, prefersMarkdown } from '../http/negotiate.ts'
import { consolePicture } from './console-picture.ts'
import { countMax, type ShopCounts } from './counts.ts'
import { firstCall, keyForm } from './first-call.ts'
import { type Html, html } from './html.ts'
import { layout, pageHeaders, type Site } from './layout.ts'
import type { ApiDocument } from './reference/document.ts'
import { serveText } from './serve-text.ts'

/** The home page: HTML for people, a JSON index for programs, the summary in Markdown for language models. */
export function homePages(
  site: Site,
  document: () => ApiDocument,
  counts: () => Promise<ShopCounts | undefined>,
  summary: () => string,
): WebPage[] {
  const vary = { Vary: 'Accept, Accept-Encoding' }
  const open = { ...vary, 'Access-Control-Allow-Origin': '*' }
  const index = serveText(() => `${JSON.stringify(indexOf(site))}\n`, { ...open, 'Content-Type': 'application/json' })
  const markdown = serveText(summary, { ...open, 'Content-Type': 'text/markdown; charset=utf-8' })
  let page: { readonly shows: string; readonly get: WebPage['get'] } | undefined
  /** Rendered, and compressed, again only when the counts have changed. */
  const latestPage = async () => {
    const latest = await counts()
    const shows = JSON.stringify(latest) ?? ''
    if (page?.shows !== shows)
      page = { shows, get: serveText(() => render(site, document(), latest), { ...pageHeaders, ...vary }) }
    return page
  }
  return [
    {
      path: '/',
      async get(request) {
        const accept = request.headers.get('accept')
        if (prefersMarkdown(accept)) return markdown(request)
        if (prefersJson(accept)) return index(request)
        return (await latestPage()).get(request)
      },
    },
    { path: '/index.md', get: markdown },
  ]
}

function render(site: Site, document: ApiDocument, counts: ShopCounts | undefined): string {
  const { root } = site
  const body = html`<main id="main" class="home">
<div class="pitch">
<h1>Run a pet shop over HTTP</h1>
<p class="lead">Catalogue, orders and stock that never disagree, for your programs and in your browser.</p>
<p class="pitch-links"><a class="button-link" href="${root}/console">Open the console</a> <a class="button-link quiet" href="${root}/docs">Read the docs</a></p>
<dl class="counts">
${count(counts?.petsAvailable, 'pets available')}
${count(counts?.categories, 'categories')}
</dl>
</div>
${consolePicture}
<section class="first" aria-labelledby="first">
<h2 id="first">Your first call</h2>
<p class="lead">The service prints an administrator key the first time it starts. Enter it and press Send, or follow the <a href="${root}/docs/guides/quickstart">quickstart</a>.</p>
${keyForm}
${firstCall(document, site.baseUrl)}
</section>
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
