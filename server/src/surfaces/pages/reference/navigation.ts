import { type Html, html } from '../html.ts'
import type { ApiDocument, DescribedOperation } from './document.ts'

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

export const tagId = (tag: string): string => `tag-${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
