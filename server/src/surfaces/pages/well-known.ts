import type { Clock } from '../../platform/lib/clock.ts'
import { dayMs } from '../../platform/lib/time.ts'
import type { WebPage } from '../http/listener.ts'
import type { Site } from './layout.ts'
import { serveText } from './serve-text.ts'

const plainText = { 'Content-Type': 'text/plain; charset=utf-8' }

/** RFC 9116 recommends less than a year. */
const validDays = 180

/** The files that crawlers and security researchers look for. */
export function wellKnownPages(site: Site, clock: Pick<Clock, 'now'>, securityContact: string | undefined): WebPage[] {
  const robots = `User-agent: *\nDisallow: ${site.shop.hasConsole ? `${site.root}/console` : ''}\n`
  const pages: WebPage[] = [{ path: '/robots.txt', get: serveText(() => robots, plainText) }]
  if (securityContact === undefined) return pages
  const path = '/.well-known/security.txt'
  const securityText = () => {
    const today = Math.floor(clock.now() / dayMs) * dayMs
    return [
      `Contact: ${securityContact}`,
      `Expires: ${new Date(today + validDays * dayMs).toISOString()}`,
      // The RFC allows no other scheme.
      ...(site.baseUrl.startsWith('https:') ? [`Canonical: ${site.baseUrl}${path}`] : []),
      '',
    ].join('\n')
  }
  const headers = { ...plainText, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }
  return [...pages, { path, get: () => new Response(securityText(), { headers }) }]
}
