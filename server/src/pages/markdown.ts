import { Marked } from 'marked'
import { codeBlock, codeInLanguages } from './code.ts'
import { statusDiagram } from './diagrams.ts'
import { Html } from './html.ts'

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const marked = new Marked({
  renderer: {
    // Headings are places to link to, named after what they say.
    heading({ tokens, depth, text }) {
      const id = slug(text)
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    // The one diagram there is in Mermaid is that of the status, which we have drawn.
    code: ({ text, lang = '' }) => (lang === 'mermaid' ? statusDiagram : codeBlock(text, lang).text),
  },
})

/** The names that the languages of samples have in Markdown. */
const sampleLanguages: Readonly<Record<string, string>> = { bash: 'curl', ts: 'typescript', python: 'python' }

/** Blocks in bash, TypeScript and Python one after the other say the same: they become tabs. */
const sameInLanguages =
  /(```bash\n(?:(?!```)[\s\S])*```\n+```ts\n(?:(?!```)[\s\S])*```\n+```python\n(?:(?!```)[\s\S])*```)/

const tabsOf = (blocks: string): Html =>
  codeInLanguages(
    [...blocks.matchAll(/```(\w+)\n([\s\S]*?)\n```/g)].map(([, language = '', code = '']) => ({
      language: sampleLanguages[language] ?? language,
      code,
    })),
  )

/** Our own text, in Markdown, as markup. Links that begin with a slash lead to pages of this service. */
export function markdown(text: string, root: string): Html {
  const rendered = text
    .split(sameInLanguages)
    .map((part, index) => (index % 2 === 1 ? tabsOf(part).text : marked.parse(part, { async: false })))
  return new Html(
    rendered
      .join('')
      .replaceAll('<a href="/', `<a href="${root}/`)
      .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>'),
  )
}

/** One line of it, without a paragraph around. */
export const inlineMarkdown = (text: string): Html => new Html(marked.parseInline(text, { async: false }))
