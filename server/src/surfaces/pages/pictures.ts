import type { HomePicture } from '../../platform/compose/content.ts'
import type { WebPage } from '../http/listener.ts'
import { type Html, html } from './html.ts'
import { digest } from './serve-text.ts'

const themes = ['light', 'dark'] as const

const read = new WeakMap<HomePicture, ReturnType<typeof readFiles>>()

/** Both forms of a picture. Read once: a host of many services asks for each of them. */
const filesOf = (picture: HomePicture) => read.getOrInsertComputed(picture, readFiles)

const readFiles = ({ name, ...forms }: HomePicture) =>
  themes.map((theme) => {
    const bytes = Buffer.from(forms[theme], 'base64')
    return { theme, bytes, path: `/assets/${name}-${theme}.${digest(bytes)}.png` }
  })

/** Shows the form that matches the page's colours. Browsers load the other one only when the colours are switched. */
export const showPicture = (root: string, picture: HomePicture): Html =>
  html`${filesOf(picture).map(
    ({ theme, path }) =>
      html`<img class="in-${theme}" src="${root}${path}" alt="${picture.alt}" width="${picture.width}" height="${picture.height}" loading="lazy">`,
  )}`

export const picturePages = (pictures: readonly HomePicture[]): WebPage[] =>
  pictures.flatMap(filesOf).map(({ path, bytes }) => ({
    path,
    get: () =>
      new Response(bytes, {
        headers: {
          'Content-Type': 'image/png',
          'Cache-Control': 'public, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
        },
      }),
  }))
