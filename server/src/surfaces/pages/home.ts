import type { WebPage } from '../http/listener.ts'
import { prefersJson, prefersMarkdown } from '../http/request.ts'
import { countMax, type Figure } from './figures.ts'
import { firstCall, keyForm } from './first-call.ts'
import { type Html, html } from './html.ts'
import { isGuideServed, layout, pageHeaders, type Site } from './layout.ts'
import { showPicture } from './pictures.ts'
import type { ApiDocument } from './reference/document.ts'
import { serveText } from './serve-text.ts'

/** The home page: HTML for people, a JSON index for programs, the summary in Markdown for language models. */
export function homePages(
  site: Site,
  document: () => ApiDocument,
  figures: () => Promise<readonly Figure[]>,
  summary: () => string,
): WebPage[] {
  const vary = { Vary: 'Accept, Accept-Encoding' }
  const open = { ...vary, 'Access-Control-Allow-Origin': '*' }
  const index = serveText(() => `${JSON.stringify(indexOf(site))}\n`, { ...open, 'Content-Type': 'application/json' })
  const markdown = serveText(summary, { ...open, 'Content-Type': 'text/markdown; charset=utf-8' })
  let page: { readonly shows: string; readonly get: WebPage['get'] } | undefined
  /** Rendered, and compressed, again only when the figures have changed. */
  const latestPage = async () => {
    const latest = await figures()
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

const quickstart = '/docs/guides/quickstart'

function render(site: Site, document: ApiDocument, figures: readonly Figure[]): string {
  const { root, shop } = site
  const { headline, lead, pictures = [] } = shop.home
  const [first, ...others] = pictures
  const body = html`<main id="main" class="home">
<div class="pitch">
<h1>${headline}</h1>
<p class="lead">${lead}</p>
<p class="pitch-links">${shop.hasConsole && html`<a class="button-link" href="${root}/console">Open the console</a> `}<a class="button-link quiet" href="${root}/docs">Read the docs</a></p>
<dl class="counts">
${figures.map(showFigure)}
</dl>
</div>
${first && html`<figure>${showPicture(root, first)}</figure>`}
${others.map(
  (picture) => html`<figure class="feature">
<figcaption><h2>${picture.title}</h2><p>${picture.text}</p></figcaption>
${showPicture(root, picture)}
</figure>`,
)}
<section class="first" aria-labelledby="first">
<h2 id="first">Your first call</h2>
<p class="lead">The service prints an administrator key the first time it starts. Enter it and press Send${isGuideServed(shop, quickstart) && html`, or follow the <a href="${root}${quickstart}">quickstart</a>`}.</p>
${keyForm}
${firstCall(site, document)}
</section>
</main>`
  return layout(site, {
    title: shop.title,
    description: shop.summary,
    path: '/',
    body,
  })
}

function showFigure({ name, count: number }: Figure): Html {
  const written = number === undefined ? '–' : number.toLocaleString('en') + (number >= countMax ? '+' : '')
  return html`<div><dt>${name}</dt><dd>${written}</dd></div>
`
}

const indexOf = ({ baseUrl, shop }: Site) => ({
  name: shop.title,
  version: shop.version,
  description: `${baseUrl}/openapi.json`,
  descriptions: {
    '3.0 json': `${baseUrl}/openapi.json`,
    '3.0 yaml': `${baseUrl}/openapi.yaml`,
    '3.1 json': `${baseUrl}/openapi-3.1.json`,
  },
  ...(shop.hasConsole && { console: `${baseUrl}/console` }),
  reference: `${baseUrl}/docs`,
  ...(shop.guides && { guides: `${baseUrl}/docs/guides` }),
  errors: `${baseUrl}/errors`,
  agents: `${baseUrl}/llms.txt`,
  mcp: `${baseUrl}/mcp/server-card`,
  status: `${baseUrl}/status`,
  health: `${baseUrl}/healthz`,
  ready: `${baseUrl}/readyz`,
})
