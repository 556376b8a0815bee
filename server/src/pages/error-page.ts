import { errorCatalogue } from '../api/errors.ts'
import { codeBlock } from './code.ts'
import { type Html, html } from './html.ts'
import { layout, type Place } from './layout.ts'
import { inlineMarkdown } from './markdown.ts'
import { type ApiDocument, type DescribedOperation, firstMedia, operationsIn, resolve } from './reference/document.ts'

type Catalogue = Record<string, { status: number; title: string; advice: string }>

/** The catalogue of errors, from the table the service throws from. Each code is an anchor. */
export function errorPage(place: Place, document: ApiDocument): string {
  const operations = operationsIn(document)
  const codes = Object.entries(errorCatalogue as Catalogue)
  const statuses = [...new Set(codes.map(([, { status }]) => status))].sort((a, b) => a - b)
  const body = html`<main id="main" class="column">
<h1>Errors</h1>
<p class="lead">Every error answer names its <code>code</code>, says what happened in <code>message</code>, repeats the HTTP <code>status</code>, and carries a <code>requestId</code> to quote and a link to this page in <code>docs</code>. Programs should read <code>code</code>: messages may change, codes do not. More in the guide <a href="${place.root}/docs/guides/errors">Errors</a>.</p>
${statuses.map(
  (status) => html`<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status}</h2>
${codes
  .filter(([, kind]) => kind.status === status)
  .map(([code, { title, advice }]) => {
    const from = operations.filter((operation) => canAnswer(document, operation, code))
    return html`<div class="error">
<h3 id="${code}"><a class="anchor" href="#${code}">${code}</a></h3>
<p>${inlineMarkdown(title)}</p>
<p>${inlineMarkdown(advice)}</p>
${origin(place, from, operations.length)}
${example(document, code)}
</div>`
  })}
</section>`,
)}
</main>`
  return layout(place, {
    title: 'Errors · Pet Store',
    description: 'Every error code of the Pet Store service, what it means and what to do.',
    path: '/errors',
    body,
  })
}

/** The body, folded away: it differs in little but the code. */
function example({ components }: ApiDocument, code: string): Html | undefined {
  const body = (components.examples as Record<string, { value: unknown }>)[code]?.value
  return body === undefined
    ? undefined
    : html`<details><summary>The body</summary>${codeBlock(JSON.stringify(body, null, 2), 'json')}</details>`
}

function canAnswer(document: ApiDocument, { responses }: DescribedOperation, code: string): boolean {
  return Object.values(responses).some((answer) => {
    const examples = firstMedia(document, resolve(document, answer).content)?.examples
    return examples !== undefined && code in examples
  })
}

const listedMax = 6

/** Where a code comes from, unless nearly everything can answer with it. */
function origin({ root }: Place, from: readonly DescribedOperation[], total: number): Html | undefined {
  if (from.length === total) return html`<p class="from">From every operation.</p>`
  if (from.length === 0 || from.length > listedMax) return undefined
  return html`<p class="from">From ${from.map(
    ({ operationId, method, path }, index) =>
      html`${index > 0 && ', '}<a href="${root}/docs#${operationId}">${method} ${path}</a>`,
  )}.</p>`
}
