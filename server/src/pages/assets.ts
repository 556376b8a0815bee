import type { WebPage } from '../http/listener.ts'
import base from './assets/base.css' with { type: 'text' }
import icon from './assets/icon.svg' with { type: 'text' }
import script from './assets/reference.client.js' with { type: 'text' }
import reference from './assets/reference.css' with { type: 'text' }
import sheets from './assets/sheets.css' with { type: 'text' }
import { digest, fixed } from './fixed.ts'

interface Asset {
  readonly path: string
  readonly text: string
  readonly type: string
}

// The name changes with the content, so a browser may keep a file for ever.
const asset = (name: string, extension: string, type: string, text: string): Asset => ({
  path: `/assets/${name}.${digest(text)}.${extension}`,
  text,
  type,
})

export const assets = {
  css: asset('site', 'css', 'text/css; charset=utf-8', base + sheets + reference),
  script: asset('reference', 'js', 'text/javascript; charset=utf-8', script),
  icon: asset('icon', 'svg', 'image/svg+xml', icon),
}

export const assetPages: WebPage[] = [
  ...Object.values(assets).map(({ path, text, type }) => ({
    path,
    get: fixed(() => text, { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }),
  })),
  // Browsers ask for this name whatever the pages say.
  { path: '/favicon.ico', get: fixed(() => icon, { 'Content-Type': assets.icon.type }) },
]
