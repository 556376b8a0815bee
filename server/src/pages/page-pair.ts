import type { WebPage } from '../http/listener.ts'
import { prefersMarkdown } from '../http/negotiate.ts'
import { fixed } from './fixed.ts'
import { pageHeaders } from './layout.ts'

const markdownHeaders = { 'Content-Type': 'text/markdown; charset=utf-8', 'Access-Control-Allow-Origin': '*' }

/** A page for people, and the same in Markdown for language models: who asks for it, or adds `.md` to the address. */
export function pagePair(path: string, forms: { page: () => string; markdown: () => string }): WebPage[] {
  const vary = { Vary: 'Accept, Accept-Encoding' }
  const page = fixed(forms.page, { ...pageHeaders, ...vary })
  const markdown = fixed(forms.markdown, { ...markdownHeaders, ...vary })
  return [
    { path, get: (request) => (prefersMarkdown(request.headers.get('accept')) ? markdown : page)(request) },
    { path: `${path}.md`, get: markdown },
  ]
}
