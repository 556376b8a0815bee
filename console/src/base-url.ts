// The address of the service, which may be below the root of its host.
const root = document.querySelector<HTMLMetaElement>('meta[name="root"]')?.content ?? ''

export const baseUrl = location.origin + root
export const consoleRoot = `${root}/console`
export const docsUrl = `${root}/docs`
export const iconUrl = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? ''
