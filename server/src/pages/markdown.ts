import { Marked } from 'marked'
import { Html, html } from './html.ts'

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const marked = new Marked({
  renderer: {
    // Headings are places to link to, named after what they say.
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    // Code that is too wide scrolls by itself, by keyboard too.
    code: ({ text, lang }) => html`<pre tabindex="0" data-language="${lang ?? ''}"><code>${text}</code></pre>\n`.text,
  },
})

/** Our own text, in Markdown, as markup. Links that begin with a slash lead to pages of this service. */
export function markdown(text: string, root: string): Html {
  const rendered = marked.parse(text, { async: false })
  return new Html(
    rendered
      .replaceAll('<a href="/', `<a href="${root}/`)
      .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>'),
  )
}

/** One line of it, without a paragraph around. */
export const inlineMarkdown = (text: string): Html => new Html(marked.parseInline(text, { async: false }))
