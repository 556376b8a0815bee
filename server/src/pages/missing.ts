import type { WebPage } from '../http/listener.ts'
import { html } from './html.ts'
import { layout, type Place, pageHeaders } from './layout.ts'

const below = '/docs/'

/** Whatever else is asked for below /docs. An address with a slash too many is sent to the right one. */
export function missingPage(place: Place): WebPage {
  const body = html`<main id="main" class="column">
<h1>There is no such page</h1>
<p class="lead">It may have moved. The <a href="${place.root}/docs">reference</a> and the <a href="${place.root}/docs/guides">guides</a> are still there.</p>
</main>`
  const text = layout(place, { title: 'Not found · Pet Store', description: 'Nothing here.', path: '/docs/', body })
  return {
    path: `${below}*`,
    get(request) {
      const { url } = request
      // From the path on: what is before it is the header `Host`, and need not be one.
      const [pathname = ''] = url.slice(url.indexOf(below)).split('?')
      if (pathname.endsWith('/')) {
        // Not /\/+$/, which looks again from every slash on the way: a long path of slashes would stop the service.
        let end = pathname.length
        while (pathname[end - 1] === '/') end--
        const Location = place.root + pathname.slice(0, end)
        return new Response(null, { status: 308, headers: { Location } })
      }
      return new Response(text, { status: 404, headers: { ...pageHeaders, 'Cache-Control': 'no-store' } })
    },
  }
}
