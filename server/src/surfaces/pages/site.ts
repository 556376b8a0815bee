import type { Shop } from '../../platform/compose/shop.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { once } from '../../platform/lib/concurrency.ts'
import type { JsonSchema } from '../description/json-schema.ts'
import { openapi31 } from '../description/openapi-3-1.ts'
import type { WebPage } from '../http/listener.ts'
import { prefersHtml, prefersMarkdown } from '../http/request.ts'
import { assetPages, assets } from './assets.ts'
import { consolePages } from './console/pages.ts'
import { errorPage } from './error-page.ts'
import { createFigures } from './figures.ts'
import { guideValues } from './guide-values.ts'
import { guideIndex, guidePage, readGuides } from './guides.ts'
import { homePages } from './home.ts'
import { html } from './html.ts'
import { layout, pageHeaders, type Site, type SiteLink } from './layout.ts'
import { llmsText } from './llms.ts'
import { errorsMarkdown, guideMarkdown, guidesMarkdown, markdownValues } from './markdown-forms.ts'
import { picturePages } from './pictures.ts'
import { readDocument } from './reference/document.ts'
import { referenceMarkdown } from './reference/markdown-form.ts'
import { referencePage } from './reference/page.ts'
import { searchIndex } from './search-index.ts'
import { serveText } from './serve-text.ts'
import { type NodeStatus, statusPages } from './status-page.ts'
import { wellKnownPages } from './well-known.ts'

interface Dependencies {
  readonly shop: Shop
  readonly description: () => JsonSchema
  readonly db: Database
  readonly clock: Clock
  readonly baseUrl: string
  /** Other pages that are served, for the navigation. */
  readonly links: readonly SiteLink[]
  readonly status: () => Promise<NodeStatus>
  readonly securityContact: string | undefined
}

// Also valid as YAML 1.1, which would not read an unquoted date as text.
const yamlForm = { aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

const moved = (path: string, to: string): WebPage => ({
  path,
  get: () => new Response(null, { status: 308, headers: { Location: to } }),
})

/** The pages, served without a key and without rate limits, the documents among them, and the 404 page. */
export function createSite({ shop, description, db, clock, baseUrl, links, status, securityContact }: Dependencies) {
  const document = () => readDocument(description())
  const root = new URL(baseUrl).pathname.replace(/\/$/, '')
  const site: Site = { baseUrl, root, shop, links }
  const tree = readGuides(shop.guides)
  const guides = tree.flatMap((part) => part.guides)
  const values = once(() => guideValues(shop, baseUrl, document()))
  const plainValues = once(() => markdownValues(values(), shop))
  const llms = () => llmsText(site, document(), tree)
  const file = (path: string, type: string, make: () => string): WebPage => ({
    path,
    get: serveText(make, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' }),
  })
  // It is rarely requested, and loading the library takes a tenth of a start.
  const yaml = once(async () => {
    const { stringify } = await import('yaml')
    return file('/openapi.yaml', 'application/yaml', () => stringify(description(), yamlForm)).get
  })
  const json = (value: unknown) => `${JSON.stringify(value)}\n`
  /** The pages that explain the service, for readers that take Markdown. */
  const documents = [
    ...guides.map((guide) => ({
      path: `/docs/guides/${guide.name}`,
      title: guide.title,
      summary: guide.summary,
      page: () => guidePage(site, tree, guide, values()),
      markdown: () => guideMarkdown(site, guide, plainValues()),
    })),
    {
      path: '/errors',
      title: 'Errors',
      summary: 'Every error code, what it means and how to fix it.',
      page: () => errorPage(site, document()),
      markdown: () => errorsMarkdown(site, document()),
    },
    {
      path: '/docs',
      title: 'Reference',
      summary: 'Every operation, with its parameters, bodies and responses.',
      page: () => referencePage(site, document()),
      markdown: () => referenceMarkdown(site, document()),
    },
  ]
  const markdownOf = ({ path, markdown }: (typeof documents)[number]) =>
    `<!-- ${baseUrl}${path}.md -->\n\n${markdown()}`
  const pages: WebPage[] = [
    ...homePages(site, document, createFigures(shop.home.figures, db, clock), llms),
    ...documents.flatMap(({ path, ...forms }) => pagePair(path, forms)),
    ...(shop.guides
      ? pagePair('/docs/guides', {
          page: () => guideIndex(site, tree),
          markdown: () => guidesMarkdown(site, tree),
        })
      : []),
    ...Object.entries(shop.guides?.moved ?? {}).flatMap(([from, to]) =>
      ['', '.md'].map((form) => moved(`/docs/guides/${from}${form}`, `${root}/docs/guides/${to}${form}`)),
    ),
    ...statusPages(site, status),
    file('/docs/search.json', 'application/json', () => searchIndex(document(), shop.errors, guides, values())),
    ...(shop.hasConsole ? consolePages(site) : []),
    file('/openapi.json', 'application/json', () => json(description())),
    { path: '/openapi.yaml', get: async (request) => (await yaml())(request) },
    file('/openapi-3.1.json', 'application/json', () => json(openapi31(description()))),
    file('/llms.txt', 'text/plain; charset=utf-8', llms),
    file('/llms-full.txt', 'text/plain; charset=utf-8', () =>
      onlyFirst([llms(), ...documents.map(markdownOf)].join('\n\n'), plainValues().setup),
    ),
    ...wellKnownPages(site, clock, securityContact),
    ...assetPages,
    ...picturePages(shop.home.pictures ?? []),
  ]
  return { pages, documents, missing: missingPage(site) }
}

/** Every guide with examples sets the URL and the key; one file needs that once. */
function onlyFirst(text: string, repeated: string | undefined): string {
  if (repeated === undefined) return text
  const part = `${repeated}\n\n`
  const [before, ...others] = text.split(part)
  return others.length === 0 ? text : before + part + others.join('')
}

const below = '/docs/'

/**
 * The 404 page for browsers; programs get the usual Error. Below /docs, an address with a trailing slash is redirected.
 */
export function missingPage(site: Site): (request: Request, path: string) => Response | undefined {
  const body = html`<main id="main" class="column">
<h1>Page not found</h1>
<p><img src="${site.root}${assets.mascot.path}" width="240" height="200" alt="Pip, a gecko with a price tag"></p>
<p class="lead">It may have moved. Try the <a href="${site.root}/docs">reference</a>, the <a href="${site.root}/docs/guides">guides</a>, the <a href="${site.root}/errors">errors</a> or the search.</p>
</main>`
  const text = layout(site, { title: `Not found · ${site.shop.title}`, description: 'Page not found.', path: '', body })
  return ({ headers }, path) => {
    if (path.startsWith(below) && path.endsWith('/')) {
      // Not /\/+$/, which is quadratic: a long path of slashes would stop the service.
      let end = path.length
      while (path[end - 1] === '/') end--
      const Location = site.root + path.slice(0, end)
      return new Response(null, { status: 308, headers: { Location } })
    }
    if (!prefersHtml(headers.get('accept'))) return undefined
    return new Response(text, { status: 404, headers: { ...pageHeaders, 'Cache-Control': 'no-store', Vary: 'Accept' } })
  }
}

const markdownHeaders = { 'Content-Type': 'text/markdown; charset=utf-8', 'Access-Control-Allow-Origin': '*' }

/** A page in HTML, and in Markdown for clients that ask for it or add `.md` to the address. */
function pagePair(path: string, forms: { page: () => string; markdown: () => string }): WebPage[] {
  const vary = { Vary: 'Accept, Accept-Encoding' }
  const page = serveText(forms.page, { ...pageHeaders, ...vary })
  const markdown = serveText(forms.markdown, { ...markdownHeaders, ...vary })
  return [
    { path, get: (request) => (prefersMarkdown(request.headers.get('accept')) ? markdown : page)(request) },
    { path: `${path}.md`, get: markdown },
  ]
}
