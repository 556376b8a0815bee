import { prefersHtml } from '../http/negotiate.ts'
import { html } from './html.ts'
import { layout, type Place, pageHeaders } from './layout.ts'

const below = '/docs/'

/**
 * What a browser gets for an address that nothing has; a program gets the Error, as from anywhere. Below /docs an address
 * with a slash too many is sent to the right one.
 */
export function missingPage(place: Place): (request: Request) => Response | undefined {
  const body = html`<main id="main" class="column">
<h1>There is no such page</h1>
<p class="lead">It may have moved. The <a href="${place.root}/docs">reference</a>, the <a href="${place.root}/docs/guides">guides</a> and the <a href="${place.root}/errors">errors</a> are still there, and the search finds what is in them.</p>
</main>`
  const text = layout(place, { title: 'Not found · Pet Store', description: 'Nothing here.', path: '', body })
  return ({ url, headers }) => {
    // From the path on. Where the header `Host` names no host, the path is all there is.
    const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
    const [pathname = ''] = url.slice(start).split('?')
    if (pathname.startsWith(below) && pathname.endsWith('/')) {
      // Not /\/+$/, which looks again from every slash on the way: a long path of slashes would stop the service.
      let end = pathname.length
      while (pathname[end - 1] === '/') end--
      const Location = place.root + pathname.slice(0, end)
      return new Response(null, { status: 308, headers: { Location } })
    }
    if (!prefersHtml(headers.get('accept'))) return undefined
    return new Response(text, { status: 404, headers: { ...pageHeaders, 'Cache-Control': 'no-store', Vary: 'Accept' } })
  }
}
