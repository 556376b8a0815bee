import type { Guides } from '../../platform/compose/content.ts'
import { type Html, html } from './html.ts'
import { layout, type Site } from './layout.ts'
import { markdown, slug } from './markdown.ts'

export interface Guide {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly text: string
}

/** A group of guides, and pages that belong to it but are not guides. */
export interface GuidePart {
  readonly title: string
  readonly links: readonly { readonly path: string; readonly title: string; readonly summary: string }[]
  readonly guides: readonly Guide[]
}

/** A guide begins with its title and a paragraph that says what it is for. */
function readGuide([name, source]: [string, string]): Guide {
  const [, title = '', summary = '', text = ''] = /^# (.+)\n\n([^\n]+(?:\n[^\n]+)*)\n\n([\s\S]*)$/.exec(source) ?? []
  return { name, title, summary: summary.replaceAll('\n', ' ').replaceAll('`', ''), text }
}

const read = new WeakMap<Guides, readonly GuidePart[]>()

/** The guides of a shop as pages show them. Read once: a host of many services asks for each of them. */
export const readGuides = (guides: Guides | undefined): readonly GuidePart[] =>
  guides ? read.getOrInsertComputed(guides, readGroups) : []

const readGroups = ({ groups }: Guides): GuidePart[] =>
  groups.map(({ title, guides, links = [] }) => ({ title, links, guides: Object.entries(guides).map(readGuide) }))

/** Fills the `{{name}}` placeholders of a guide. */
export const fillTemplate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a guide uses {{${name}}}, which has no value`)
    return value
  })

export function guidePage(
  site: Site,
  tree: readonly GuidePart[],
  { name, title, summary, text }: Guide,
  values: Record<string, string>,
): string {
  const guides = tree.flatMap((part) => part.guides)
  const index = guides.findIndex((guide) => guide.name === name)
  const body = html`<div class="guide">
${guideList(site, tree, name)}
<main id="main">
<a class="contents-open" href="#contents">Contents</a>
<h1>${title}</h1>
<p class="lead">${summary}</p>
<div class="prose">${markdown(fillTemplate(text, values), site.root)}</div>
<nav class="guide-order" aria-label="Other guides">
${neighbour(site, guides[index - 1], 'Previous')}
${neighbour(site, guides[index + 1], 'Next')}
</nav>
</main>
${onThisPage(text)}
</div>`
  return layout(site, {
    title: `${title} · ${site.shop.title}`,
    description: summary,
    path: `/docs/guides/${name}`,
    body,
  })
}

/** The tree of guides, with the open one marked. */
const guideList = (
  { root }: Site,
  tree: readonly GuidePart[],
  open: string,
): Html => html`<nav id="contents" class="contents" aria-label="Guides">
<a class="contents-close" href="#main">Close contents</a>
<ul class="tree">${tree.map(
  (part) => html`<li><p class="group">${part.title}</p>
<ul>${part.links.map(({ path, title }) => html`<li><a href="${root}${path}">${title}</a></li>`)}${part.guides.map(
    ({ name, title }) =>
      html`<li><a href="${root}/docs/guides/${name}"${name === open && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul></li>`,
)}</ul>
</nav>`

/** The headings of a guide. */
function onThisPage(text: string): Html {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  return html`<nav class="on-this-page" aria-label="On this page" data-follows>
${
  headings.length > 0 &&
  html`<p class="group">On this page</p>
<ul>${headings.map((heading) => html`<li><a href="#${slug(heading)}">${heading}</a></li>`)}</ul>`
}
</nav>`
}

const neighbour = ({ root }: Site, guide: Guide | undefined, word: string): Html =>
  guide
    ? html`<a href="${root}/docs/guides/${guide.name}"><span class="type">${word}</span> ${guide.title}</a>`
    : html`<span></span>`

const showGuide = (href: string, title: string, summary: string): Html =>
  html`<dt><a href="${href}">${title}</a></dt><dd>${summary}</dd>
`

export function guideIndex(site: Site, tree: readonly GuidePart[]): string {
  const body = html`<main id="main" class="column">
<h1>Guides</h1>
<p class="lead">Start with the quickstart. Concepts explain, how-tos solve one task each, the reference lists everything. Every example is tested.</p>
${tree.map(
  (part) => html`<h2 id="${slug(part.title)}">${part.title}</h2>
<dl class="index">
${part.links.map(({ path, title, summary }) => showGuide(site.root + path, title, summary))}
${part.guides.map(({ name, title, summary }) => showGuide(`${site.root}/docs/guides/${name}`, title, summary))}
</dl>`,
)}
</main>`
  return layout(site, {
    title: `Guides · ${site.shop.title}`,
    description: `Guides for people who build clients of ${site.shop.title}, or operate it.`,
    path: '/docs/guides',
    body,
  })
}
