import type { WebPage } from '../http/listener.ts'
import { readFont } from './read-font.ts' with { type: 'macro' }
import { digest } from './serve-text.ts'

interface Font {
  readonly path: string
  readonly bytes: Buffer<ArrayBuffer>
  /** The characters it has; a browser loads it only for these. */
  readonly characters: string
}

const font = (name: string, base64: string, characters: string): Font => {
  const bytes = Buffer.from(base64, 'base64')
  return { path: `/assets/${name}.${digest(bytes)}.woff2`, bytes, characters }
}

/** Loaded with every page. */
export const latinFont = font(
  'figtree-latin',
  readFont('figtree-latin'),
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD',
)
const latinExtFont = font(
  'figtree-latin-ext',
  readFont('figtree-latin-ext'),
  'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF',
)
const fonts = [latinFont, latinExtFont]

/** Optional: if the font arrives too late, the page keeps the system's, so that nothing moves. */
export const fontFaces = fonts
  .map(
    ({ path, characters }) =>
      `@font-face{font-family:Figtree;src:url(${path.replace('/assets/', '')})format("woff2");font-weight:300 900;font-display:optional;unicode-range:${characters}}\n`,
  )
  .join('')

export const fontPages: WebPage[] = fonts.map(({ path, bytes }) => ({
  path,
  get: () =>
    new Response(bytes, {
      headers: {
        'Content-Type': 'font/woff2',
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      },
    }),
}))
