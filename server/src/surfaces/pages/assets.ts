import type { WebPage } from '../http/listener.ts'
import base from './assets/base.css' with { type: 'text' }
import code from './assets/code.css' with { type: 'text' }
import icon from './assets/icon.svg' with { type: 'text' }
import mascot from './assets/mascot.svg' with { type: 'text' }
import reference from './assets/reference.css' with { type: 'text' }
import search from './assets/search.css' with { type: 'text' }
import sheets from './assets/sheets.css' with { type: 'text' }
import confirm from './client/confirm.client.js' with { type: 'text' }
import contents from './client/contents.client.js' with { type: 'text' }
import copy from './client/copy.client.js' with { type: 'text' }
import early from './client/early.client.js' with { type: 'text' }
import elements from './client/elements.client.js' with { type: 'text' }
import errors from './client/errors.client.js' with { type: 'text' }
import fill from './client/fill.client.js' with { type: 'text' }
import form from './client/form.client.js' with { type: 'text' }
import key from './client/key.client.js' with { type: 'text' }
import language from './client/language.client.js' with { type: 'text' }
import response from './client/response.client.js' with { type: 'text' }
import responses from './client/responses.client.js' with { type: 'text' }
import samples from './client/samples.client.js' with { type: 'text' }
import searching from './client/search.client.js' with { type: 'text' }
import theme from './client/theme.client.js' with { type: 'text' }
import tokens from './client/tokens.client.js' with { type: 'text' }
import tryIt from './client/try-it.client.js' with { type: 'text' }
import { fontFaces, fontPages } from './fonts.ts'
import { joinScripts } from './join-scripts.ts'
import { digest, serveText } from './serve-text.ts'

export interface Asset {
  readonly path: string
  readonly text: string
  readonly type: string
}

const mediaTypes = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' }

// The name changes with the content, so browsers may cache the file forever.
export const asset = (name: string, extension: keyof typeof mediaTypes, text: string): Asset => ({
  path: `/assets/${name}.${digest(text)}.${extension}`,
  text,
  type: mediaTypes[extension],
})

// Each file comes before those that use it.
const scripts = [
  tokens,
  samples,
  elements,
  copy,
  language,
  fill,
  theme,
  responses,
  searching,
  contents,
  errors,
  key,
  form,
  confirm,
  response,
  tryIt,
]

export const assets = {
  css: asset('site', 'css', fontFaces + base + code + search + sheets + reference),
  early: asset('early', 'js', early),
  script: asset('site', 'js', joinScripts(scripts)),
  icon: asset('icon', 'svg', icon),
  mascot: asset('mascot', 'svg', mascot),
}

export const serveAsset = ({ path, text, type }: Asset): WebPage => ({
  path,
  get: serveText(() => text, { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }),
})

export const assetPages: WebPage[] = [
  ...Object.values(assets).map(serveAsset),
  ...fontPages,
  // Browsers request this name no matter what the pages say.
  { path: '/favicon.ico', get: serveText(() => icon, { 'Content-Type': assets.icon.type }) },
]
