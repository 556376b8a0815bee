import { prefersHtml } from '../http/head.ts'
import { assets } from './assets.ts'
import { html } from './html.ts'
import { layout, pageHeaders, type Site } from './layout.ts'

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
