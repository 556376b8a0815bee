import { Marked } from 'marked'
import { codeBlock, codeInLanguages } from './code.ts'
import { Html } from './html.ts'

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const marked = new Marked({
  renderer: {
    // Headings get an anchor made from their text.
    heading({ tokens, depth, text }) {
      const id = slug(text)
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    code: ({ text, lang = '' }) => codeBlock(text, lang).text,
  },
})

/** Sample languages by their name in Markdown. */
const sampleLanguages: Readonly<Record<string, string>> = { sh: 'curl', js: 'javascript', python: 'python' }

/** Consecutive blocks in sh, JavaScript and Python become tabs. */
const sameInLanguages =
  /(```sh\n(?:(?!```)[\s\S])*```\n+```js\n(?:(?!```)[\s\S])*```\n+```python\n(?:(?!```)[\s\S])*```)/

const tabsOf = (blocks: string): Html =>
  codeInLanguages(
    [...blocks.matchAll(/```(\w+)\n([\s\S]*?)\n```/g)].map(([, language = '', code = '']) => ({
      language: sampleLanguages[language] ?? language,
      code,
    })),
  )

/** Renders our own Markdown. Links that begin with a slash lead to pages of this service. */
export function markdown(text: string, root: string): Html {
  const rendered = text
    .split(sameInLanguages)
    .map((part, index) => (index % 2 === 1 ? tabsOf(part).text : marked.parse(part, { async: false })))
  return new Html(
    rendered
      .join('')
      .replaceAll('<a href="/', `<a href="${root}/`)
      // The element after a table says that all of the table has arrived; see base.css.
      .replaceAll('<table>', '<div class="scroll streamed" tabindex="0"><table>')
      .replaceAll('</table>', '</table><span hidden></span></div>'),
  )
}

/** Renders a single line, without a paragraph. */
export const inlineMarkdown = (text: string): Html => new Html(marked.parseInline(text, { async: false }))
