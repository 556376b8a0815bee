import { prefersMarkdown } from '../http/head.ts'
import type { WebPage } from '../http/listener.ts'
import { pageHeaders } from './layout.ts'
import { serveText } from './serve-text.ts'

const markdownHeaders = { 'Content-Type': 'text/markdown; charset=utf-8', 'Access-Control-Allow-Origin': '*' }

/** A page in HTML, and in Markdown for clients that ask for it or add `.md` to the address. */
export function pagePair(path: string, forms: { page: () => string; markdown: () => string }): WebPage[] {
  const vary = { Vary: 'Accept, Accept-Encoding' }
  const page = serveText(forms.page, { ...pageHeaders, ...vary })
  const markdown = serveText(forms.markdown, { ...markdownHeaders, ...vary })
  return [
    { path, get: (request) => (prefersMarkdown(request.headers.get('accept')) ? markdown : page)(request) },
    { path: `${path}.md`, get: markdown },
  ]
}
