import { type Html, html } from '../html.ts'
import { layout, type Place } from '../layout.ts'
import { inlineMarkdown, markdown } from '../markdown.ts'
import { type ApiDocument, type Header, operationsIn } from './document.ts'
import { fieldTable } from './fields.ts'
import { navigation, tagId } from './navigation.ts'
import { operationSection } from './operation.ts'
import { commonCodes, errorBodies, headerId, isCommonHeader, titleOf } from './responses.ts'

/** The interactive reference, made from the description that is served beside it. */
export function referencePage(place: Place, document: ApiDocument): string {
  const operations = operationsIn(document)
  const common = commonCodes(document, operations)
  const descriptionOf = (name: string) => document.tags.find((tag) => tag.name === name)?.description ?? ''
  const body = html`<div class="reference">
${navigation(document, operations)}
<main id="main">
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
<p class="lead">Postman, Bruno, Insomnia and code generators import the description: <a href="${place.root}/openapi.json" download="petstore.openapi.json">OpenAPI 3.0 as JSON</a>, <a href="${place.root}/openapi.yaml">as YAML</a>, <a href="${place.root}/openapi-3.1.json">3.1</a>. For language models this page is <a href="${place.root}/docs.md">Markdown</a> too.</p>
<section class="prose" id="about" aria-label="About">${markdown(document.info.description.replaceAll(`](${place.baseUrl}/`, '](/'), place.root)}</section>
${headers(document)}
${errors(document, common, place)}
${document['x-tagGroups'].map(
  (group) => html`<section class="tag-group" aria-label="${group.name}">
<h2>${group.name}</h2>
<p class="lead">${descriptionOf(group.name)}</p>
${group.tags.map(
  (tag) => html`<h3 id="${tagId(tag)}">${tag}</h3>
<p class="lead">${descriptionOf(tag)}</p>
${operations.filter((operation) => operation.tags.includes(tag)).map((operation) => operationSection(document, operation, common, place))}`,
)}
</section>`,
)}
</main>
</div>
${errorBodies(document, place)}`
  return layout(place, {
    title: 'Reference · Pet Store',
    description: 'Every operation of the Pet Store service, with samples and a form to try it.',
    path: '/docs',
    body,
  })
}

function headers(document: ApiDocument): Html {
  const all = Object.entries(document.components.headers as Record<string, Header>)
  const list = (isShown: (name: string) => boolean) =>
    html`<dl class="fields">${all
      .filter(([name]) => isShown(name))
      .map(
        ([name, { description = '', example }]) =>
          html`<div id="${headerId(name)}"><dt><a class="anchor" href="#${headerId(name)}"><code>${name}</code></a></dt><dd>${inlineMarkdown(description)}${example !== undefined && html` <code class="bounds">${String(example)}</code>`}</dd></div>`,
      )}</dl>`
  return html`<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<p class="lead">Whatever its status, a response says what is left of your quota. <code>Retry-After</code> comes with 429 and 503.</p>
${list(isCommonHeader)}
<p class="lead">These come with some operations, which name them.</p>
${list((name) => !isCommonHeader(name))}
</section>`
}

/** What an error looks like, and which ones need not be said of each operation. */
function errors(document: ApiDocument, common: readonly string[], { root }: Place): Html {
  return html`<section aria-labelledby="errors">
<h2 id="errors">Common errors</h2>
<p class="lead">Each error has this form. <a href="${root}/errors">The catalogue</a> says what to do about each code.</p>
${fieldTable(document, { $ref: '#/components/schemas/Error' }, 'Error')}
<p class="lead">Nearly every operation can answer with these, as far as they apply: those about bodies where one is sent. What else it can answer is said where it is described; the tabs beside it show them all.</p>
<ul class="codes">${common.map(
    (code) =>
      html`<li><a href="${root}/errors#${code}"><code>${code}</code></a> <span>${inlineMarkdown(titleOf(code))}</span></li>`,
  )}</ul>
</section>`
}
