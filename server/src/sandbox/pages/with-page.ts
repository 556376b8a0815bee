import type { Shop } from '../../platform/compose/shop.ts'
import { prefersHtml } from '../../surfaces/http/request.ts'
import { pageHeaders, type Site } from '../../surfaces/pages/layout.ts'
import { sandboxLinks } from './frame.ts'

const headers = { ...pageHeaders, 'Cache-Control': 'no-store', Vary: 'Accept' }

/** The response to a browser. */
export const pageResponse = (text: string, status = 200): Response => new Response(text, { status, headers })

/** Responds to a browser with a page, and to everything else with the data that the page shows. */
export const withPage =
  <Sandbox extends { readonly baseUrl: string; readonly service: { readonly shop: Shop } }, Result>(
    read: (sandbox: Sandbox) => Promise<Result>,
    page: (site: Site, result: Result, sandbox: Sandbox) => string,
  ) =>
  async (sandbox: Sandbox, request: Request): Promise<Response | Result> => {
    const result = await read(sandbox)
    if (!prefersHtml(request.headers.get('accept'))) return result
    const { baseUrl, service } = sandbox
    const site = { baseUrl, root: new URL(baseUrl).pathname, shop: service.shop, links: sandboxLinks }
    return pageResponse(page(site, result, sandbox))
  }
