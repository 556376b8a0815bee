import { codeBlock } from './code.ts'
import { type Html, html } from './html.ts'
import { isGuideServed, layout, type Site } from './layout.ts'
import { inlineMarkdown } from './markdown.ts'
import { type ApiDocument, type DescribedOperation, firstMedia, operationsIn, resolve } from './reference/document.ts'

const errorGuide = '/docs/guides/handle-errors'

/** The error catalogue, made from the table the service throws from. Each code is an anchor. */
export function errorPage(site: Site, document: ApiDocument): string {
  const kinds = site.shop.errors
  const statuses = statusesOf(site)
  const body = html`<main id="main" class="column errors">
<h1>Errors</h1>
<p class="lead">Every error has a <code>code</code>, a <code>message</code>, the HTTP <code>status</code>, a <code>requestId</code> to quote in reports, and a link to this page in <code>docs</code>. Programs should act on <code>code</code>: messages may change, codes never do.${isGuideServed(site.shop, errorGuide) && html` See <a href="${site.root}${errorGuide}">Handle errors</a>.`}</p>
<label class="filter error-filter">Filter by code, status or word <input type="search" id="error-filter" autocomplete="off" spellcheck="false"></label>
<nav class="error-index" aria-label="Codes">
${statuses.map(
  (status) =>
    html`<div><a class="status s${String(status)[0]}" href="#status-${status}">${status}</a> ${kinds
      .filter((kind) => kind.status === status)
      .map(({ code }) => html`<a href="#${code}">${code}</a> `)}</div>`,
)}
</nav>
<p class="nothing" id="error-nothing" role="status"></p>
${statuses.map(
  (status) => html`<section class="error-group" aria-labelledby="status-${status}">
<h2 id="status-${status}">${status}</h2>
${kinds
  .filter((kind) => kind.status === status)
  .map(({ code, title, advice }) => {
    return html`<div class="error" data-error="${`${status} ${code} ${title} ${advice}`.toLowerCase()}">
<h3 id="${code}"><a class="anchor" href="#${code}">${code}</a></h3>
<p>${inlineMarkdown(title)}</p>
<p>${inlineMarkdown(advice)}</p>
${origin(site, document, code)}
${example(document, code)}
</div>`
  })}
</section>`,
)}
</main>`
  return layout(site, {
    title: `Errors · ${site.shop.title}`,
    description: `Every error code of ${site.shop.title} service, what it means and how to fix it.`,
    path: '/errors',
    body,
  })
}

export const statusesOf = ({ shop }: Site): number[] =>
  [...new Set(shop.errors.map(({ status }) => status))].sort((a, b) => a - b)

/** The body, collapsed: bodies differ in little except the code. */
function example(document: ApiDocument, code: string): Html | undefined {
  const body = exampleBody(document, code)
  return body === undefined
    ? undefined
    : html`<details><summary>Example body</summary>${codeBlock(body, 'json')}</details>`
}

export function exampleBody({ components }: ApiDocument, code: string): string | undefined {
  const body = (components.examples as Record<string, { value: unknown }>)[code]?.value
  return body === undefined ? undefined : JSON.stringify(body, null, 2)
}

function canReturn(document: ApiDocument, { responses }: DescribedOperation, code: string): boolean {
  return Object.values(responses).some((response) => {
    const examples = firstMedia(document, resolve(document, response).content)?.examples
    return examples !== undefined && code in examples
  })
}

const listedMax = 6

/** The operations that return a code: all, or a list of them, unless that would be long. */
export function operationsReturning(document: ApiDocument, code: string): 'all' | readonly DescribedOperation[] {
  const operations = operationsIn(document)
  const from = operations.filter((operation) => canReturn(document, operation, code))
  if (from.length === operations.length) return 'all'
  return from.length > listedMax ? [] : from
}

function origin({ root }: Site, document: ApiDocument, code: string): Html | undefined {
  const from = operationsReturning(document, code)
  if (from === 'all') return html`<p class="from">Returned by every operation.</p>`
  if (from.length === 0) return undefined
  return html`<p class="from">Returned by ${from.map(
    ({ operationId, method, path }, index) =>
      html`${index > 0 && ', '}<a href="${root}/docs#${operationId}">${method} ${path}</a>`,
  )}.</p>`
}
