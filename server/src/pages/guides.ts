import agents from './guides/agents.md' with { type: 'text' }
import changelog from './guides/changelog.md' with { type: 'text' }
import conditional from './guides/conditional-requests.md' with { type: 'text' }
import deprecation from './guides/deprecation.md' with { type: 'text' }
import errors from './guides/errors.md' with { type: 'text' }
import events from './guides/events.md' with { type: 'text' }
import retries from './guides/idempotent-retries.md' with { type: 'text' }
import keys from './guides/keys.md' with { type: 'text' }
import limits from './guides/limits.md' with { type: 'text' }
import orders from './guides/orders-and-stock.md' with { type: 'text' }
import pagination from './guides/pagination.md' with { type: 'text' }
import quickstart from './guides/quickstart.md' with { type: 'text' }
import requests from './guides/requests.md' with { type: 'text' }
import testing from './guides/testing.md' with { type: 'text' }
import webhooks from './guides/webhooks.md' with { type: 'text' }
import { type Html, html } from './html.ts'
import { layout, type Site } from './layout.ts'
import { markdown, slug } from './markdown.ts'

interface Guide {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly text: string
}

/** A guide begins with its title and a line that sums it up. */
function readGuide([name, source]: [string, string]): Guide {
  const [, title = '', summary = '', text = ''] = /^# (.+)\n\n(.+)\n\n([\s\S]*)$/.exec(source) ?? []
  return { name, title, summary, text }
}

/** The guides, in the order in which a newcomer reads them. */
export const guides: readonly Guide[] = Object.entries({
  quickstart,
  keys,
  requests,
  errors,
  pagination,
  'conditional-requests': conditional,
  'idempotent-retries': retries,
  'orders-and-stock': orders,
  events,
  webhooks,
  limits,
  testing,
  agents,
  deprecation,
  changelog,
}).map(readGuide)

/** Fills the `{{name}}` placeholders of a guide. */
export const fillTemplate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a guide uses {{${name}}}, which has no value`)
    return value
  })

export function guidePage(site: Site, { name, title, summary, text }: Guide, values: Record<string, string>): string {
  const index = guides.findIndex((guide) => guide.name === name)
  const body = html`<div class="guide">
${guideList(site, name)}
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
  return layout(site, { title: `${title} · Pet Store`, description: summary, path: `/docs/guides/${name}`, body })
}

/** The list of guides, with the open one marked. */
const guideList = ({ root }: Site, open: string): Html => html`<nav id="contents" class="contents" aria-label="Guides">
<a class="contents-close" href="#main">Close contents</a>
<ul class="tree">
<li><p class="group">Guides</p>
<ul>${guides.map(
  ({ name, title }) =>
    html`<li><a href="${root}/docs/guides/${name}"${name === open && html` aria-current="page"`}>${title}</a></li>`,
)}</ul></li>
</ul>
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

export function guideIndex(site: Site): string {
  const body = html`<main id="main" class="column">
<h1>Guides</h1>
<p class="lead">Short guides for client developers. Every example is tested.</p>
<ul class="cards">
${guides.map(
  ({ name, title, summary }) =>
    html`<li><a href="${site.root}/docs/guides/${name}"><strong>${title}</strong> ${summary}</a></li>`,
)}
</ul>
</main>`
  return layout(site, {
    title: 'Guides · Pet Store',
    description: 'Short guides for developers of Pet Store clients.',
    path: '/docs/guides',
    body,
  })
}
