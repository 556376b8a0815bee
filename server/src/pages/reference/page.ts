import { assets } from '../assets.ts'
import { type Html, html } from '../html.ts'
import { layout, type Place } from '../layout.ts'
import { inlineMarkdown, markdown } from '../markdown.ts'
import { type ApiDocument, type Header, operationsIn } from './document.ts'
import { navigation, tagId } from './navigation.ts'
import { operationSection } from './operation.ts'

/** The interactive reference, made from the description that is served beside it. */
export function referencePage(place: Place, document: ApiDocument): string {
  const operations = operationsIn(document)
  const descriptionOf = (name: string) => document.tags.find((tag) => tag.name === name)?.description ?? ''
  const body = html`<div class="reference">
${navigation(document, operations)}
<main id="main" data-root="${place.root}">
<a class="contents-open" href="#contents">Contents</a>
<div class="bar">
<form id="key-form" class="key-form" autocomplete="off">
<label class="key-label" for="key">API key</label>
<input id="key" class="key-input" type="password" autocomplete="off" spellcheck="false" placeholder="ps_…" aria-describedby="key-note">
<button type="submit">Check</button>
<button type="button" class="quiet" id="key-forget">Forget</button>
<p id="key-note" class="key-note" role="status">One key for every operation, kept in this tab only.</p>
</form>
</div>
<h1>Reference</h1>
<section class="prose" id="about" aria-label="About">${markdown(document.info.description.replaceAll(`](${place.baseUrl}/`, '](/'), place.root)}</section>
${commonHeaders(document)}
${document['x-tagGroups'].map(
  (group) => html`<section class="tag-group" aria-label="${group.name}">
<h2>${group.name}</h2>
<p class="lead">${descriptionOf(group.name)}</p>
${group.tags.map(
  (tag) => html`<h3 id="${tagId(tag)}">${tag}</h3>
<p class="lead">${descriptionOf(tag)}</p>
${operations.filter((operation) => operation.tags.includes(tag)).map((operation) => operationSection(document, operation, place))}`,
)}
</section>`,
)}
</main>
</div>`
  return layout(place, {
    title: 'Reference · Pet Store',
    description: 'Every operation of the Pet Store service, with samples and a form to try it.',
    path: '/docs',
    body,
    script: assets.script.path,
  })
}

const everywhere = /^(X-Request-Id|X-RateLimit-.*|RateLimit.*|Retry-After)$/

function commonHeaders(document: ApiDocument): Html {
  const headers = Object.entries(document.components.headers as Record<string, Header>)
  return html`<section aria-labelledby="headers">
<h2 id="headers">Headers of every answer</h2>
<p class="lead">Whatever its status, an answer says what is left of your quota. <code>Retry-After</code> comes with 429 and 503.</p>
<dl class="fields">${headers
    .filter(([name]) => everywhere.test(name))
    .map(
      ([name, { description = '', example }]) =>
        html`<div><dt><code>${name}</code></dt><dd>${inlineMarkdown(description)} <code class="bounds">${String(example)}</code></dd></div>`,
    )}</dl>
</section>`
}
