import { codeBlock } from '../code.ts'
import { firstCall, keyForm } from '../first-call.ts'
import { type Html, html } from '../html.ts'
import { isGuideServed, layout, type Site } from '../layout.ts'
import { inlineMarkdown, markdown } from '../markdown.ts'
import { type ApiDocument, type DescribedOperation, headersIn, operationsIn } from './document.ts'
import { fieldTable } from './fields.ts'
import { operationSection } from './operation.ts'
import { commonCodes, errorBodies, headerId, isCommonHeader, titleOf } from './responses.ts'

const keyGuide = '/docs/guides/keys'

/** The interactive reference, made from the served description. */
export function referencePage(site: Site, document: ApiDocument): string {
  const operations = operationsIn(document)
  const common = commonCodes(document, operations, site)
  const descriptionOf = (name: string) => document.tags.find((tag) => tag.name === name)?.description ?? ''
  const first = site.shop.firstCall
  const summaryOf = (id: string) => operations.find(({ operationId }) => operationId === id)?.summary
  const body = html`<div class="reference">
${navigation(document, operations)}
<main id="main">
<a class="contents-open" href="#contents">Contents</a>
<div class="bar">
${keyForm}
</div>
<h1>Reference</h1>
<div class="start">
<dl class="start-facts">
<div><dt>URL</dt><dd>${codeBlock(site.baseUrl, 'text')}</dd></div>
<div><dt>Key</dt><dd>In the header <code>X-API-Key</code>. Enter yours above${isGuideServed(site.shop, keyGuide) && html`, or see <a href="${site.root}${keyGuide}">Keys, scopes and plans</a>`}.</dd></div>
<div><dt>First call</dt><dd>${first.about} Change the form and the samples follow; <a href="#${first.operation}">${summaryOf(first.operation)}</a> has all its parameters.</dd></div>
</dl>
${firstCall(site, document)}
</div>
<p class="lead">Import the API into Postman, Bruno, Insomnia or a code generator: <a href="${site.root}/openapi.json" download="${site.shop.name}.openapi.json">OpenAPI 3.0 as JSON</a>, <a href="${site.root}/openapi.yaml">as YAML</a>, <a href="${site.root}/openapi-3.1.json">3.1</a>. For language models, this page is also available as <a href="${site.root}/docs.md">Markdown</a>.</p>
<section class="prose" id="about" aria-label="About">${markdown(withPictures(site, document.info.description).replaceAll(`](${site.baseUrl}/`, '](/'), site.root)}</section>
${headers(document)}
${errors(document, common, site)}
${document['x-tagGroups'].map(
  (group) => html`<section class="tag-group" aria-label="${group.name}">
<h2>${group.name}</h2>
<p class="lead">${descriptionOf(group.name)}</p>
${group.tags.map(
  (tag) => html`<h3 id="${tagId(tag)}">${tag}</h3>
<p class="lead">${descriptionOf(tag)}</p>
${operations.filter((operation) => operation.tags.includes(tag)).map((operation) => operationSection(document, operation, common, site))}`,
)}
</section>`,
)}
</main>
</div>
${errorBodies(document, site)}`
  return layout(site, {
    title: `Reference · ${site.shop.title}`,
    description: `Every operation of ${site.shop.title} service, with samples and a form to try it.`,
    path: '/docs',
    body,
  })
}

const withPictures = ({ shop: { diagrams = [] } }: Site, text: string): string =>
  diagrams.reduce(
    (shown, { mermaid, picture }) => shown.replace(`\`\`\`mermaid\n${mermaid}\n\`\`\``, () => picture),
    text,
  )

function headers(document: ApiDocument): Html {
  const all = headersIn(document)
  const list = (isShown: (name: string) => boolean) =>
    html`<dl class="fields">${all
      .filter(([name]) => isShown(name))
      .map(
        ([name, { description = '', example }]) =>
          html`<div id="${headerId(name)}"><dt><a class="anchor" href="#${headerId(name)}"><code>${name}</code></a></dt><dd>${inlineMarkdown(description)}${example !== undefined && html` <code class="bounds">${String(example)}</code>`}</dd></div>`,
      )}</dl>`
  return html`<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<p class="lead">Every response shows your remaining quota, whatever its status. <code>Retry-After</code> is sent with 429 and 503.</p>
${list(isCommonHeader)}
<p class="lead">These are sent by some operations, which list them.</p>
${list((name) => !isCommonHeader(name))}
</section>`
}

/** The error format, and the errors that nearly all operations share. */
function errors(document: ApiDocument, common: readonly string[], site: Site): Html {
  const { root } = site
  return html`<section aria-labelledby="errors">
<h2 id="errors">Common errors</h2>
<p class="lead">Every error has this format. See the <a href="${root}/errors">error catalogue</a> for what to do about each code.</p>
${fieldTable(document, { $ref: '#/components/schemas/Error' }, 'Error')}
<p class="lead">Nearly every operation can return these, where they apply; errors about bodies only apply to requests with a body. Other errors are listed with their operation, and the tabs next to it show them all.</p>
<ul class="codes">${common.map(
    (code) =>
      html`<li><a href="${root}/errors#${code}"><code>${code}</code></a> <span>${inlineMarkdown(titleOf(site, code))}</span></li>`,
  )}</ul>
</section>`
}

/** The tree of groups, tags and operations. Groups have no operations themselves, so they are headings without a link. */
export function navigation(document: ApiDocument, operations: readonly DescribedOperation[]): Html {
  return html`<nav id="contents" class="contents" aria-label="Operations" data-follows>
<a class="contents-close" href="#main">Close contents</a>
<label class="filter">Filter operations <input type="search" id="filter" autocomplete="off" spellcheck="false"></label>
<ul class="tree">
<li data-tag><p class="group">Basics</p>
<ul><li><a href="#about">About</a></li><li><a href="#headers">Headers</a></li><li><a href="#errors">Common errors</a></li></ul></li>
${document['x-tagGroups'].map(
  ({ name, tags }) => html`<li><p class="group">${name}</p>
<ul>
${tags.map(
  (tag) => html`<li data-tag><a class="tag" href="#${tagId(tag)}">${tag}</a>
<ul>
${operations.filter((operation) => operation.tags.includes(tag)).map(leaf)}
</ul></li>`,
)}
</ul></li>`,
)}
</ul>
<p class="nothing" id="filter-nothing" hidden>No operation matches.</p>
</nav>`
}

const leaf = (
  operation: DescribedOperation,
): Html => html`<li data-find="${`${operation.method} ${operation.path} ${operation.summary}`.toLowerCase()}">
<a href="#${operation.operationId}"><span class="method ${operation.method.toLowerCase()}">${operation.method}</span>
<span><span class="${operation.deprecated ? 'struck' : ''}">${operation.summary}</span>
${operation['x-stability'] !== undefined && html`<span class="badge ${operation['x-stability']}">${operation['x-stability']}</span>`}
${operation.deprecated && html`<span class="badge deprecated">deprecated</span>`}</span></a></li>
`

const tagId = (tag: string): string => `tag-${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
