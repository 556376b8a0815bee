// The address of the service, which may be below the root of its host.
const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
const root = meta('root') ?? ''

export const baseUrl = location.origin + root
export const consoleRoot = `${root}/console`
export const docsUrl = `${root}/docs`
export const iconUrl = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? ''

interface SiteLink {
  readonly path: string
  readonly name: string
}

/** Links to pages that the service was started with in addition to its own. */
export const siteLinks = (JSON.parse(meta('links') ?? '[]') as SiteLink[]).map(({ path, name }) => ({
  href: root + path,
  name,
}))
