import { codeInLanguages } from '../code.ts'
import { type Html, html } from '../html.ts'
import type { Site } from '../layout.ts'
import { markdown } from '../markdown.ts'
import type { ApiDocument, DescribedOperation } from './document.ts'
import { fieldTable, parameterTable } from './fields.ts'
import { responseBodies, responseList } from './responses.ts'
import { samplesOf } from './samples.ts'
import { tryIt } from './try-it.ts'

/** Everything about one operation, and a form to try it. */
export function operationSection(
  document: ApiDocument,
  operation: DescribedOperation,
  common: readonly string[],
  site: Site,
): Html {
  const { operationId, method, path, summary, description, parameters, body } = operation
  const { root, baseUrl } = site
  return html`<section class="operation" aria-labelledby="${operationId}">
<div class="facts">
<h4 id="${operationId}"><a class="anchor${operation.deprecated ? ' struck' : ''}" href="#${operationId}">${summary}</a></h4>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${badges(operation)}
${deprecation(operation, root)}
<div class="prose">${markdown(withoutNotes(description), root)}</div>
${later(html`${parameters.length > 0 && html`<h5>Parameters</h5>${parameterTable(document, parameters, operationId)}`}
${body && html`<h5>Body</h5>${fieldTable(document, body.schema, `${operationId}.body`)}`}
${responseList(document, operation, common, site)}`)}
</div>
<div class="samples">
${later(html`${codeInLanguages(samplesOf(document, operation, baseUrl))}
${operation['x-hideTryItPanel'] !== true && tryIt(document, operation)}
${responseBodies(document, operation)}`)}
</div>
</section>`
}

/** To a browser with scripts this is one text, which `fill.client.js` parses when it is needed; to any other it is the content. */
const later = (content: Html): Html => html`<noscript>${content}</noscript>`

const badges = (operation: DescribedOperation): Html => html`<p class="badges">
${operation['x-stability'] !== undefined && html`<span class="badge ${operation['x-stability']}">${operation['x-stability']}</span>`}
${operation.deprecated && html`<span class="badge deprecated">deprecated</span>`}
<span class="scope">${operation['x-required-scope'] === undefined ? 'any valid key' : html`scope <code>${operation['x-required-scope']}</code>`}</span>
</p>`

function deprecation(operation: DescribedOperation, root: string): Html | undefined {
  const sunset = operation['x-deprecated-sunset']
  if (sunset === undefined) return undefined
  const date = new Date(`${sunset}T00:00:00Z`)
  const written = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  return html`<p class="notice">Deprecated. Available until <time datetime="${sunset}">${written}</time> (sunset ${sunset}); returns 410 after that. See the <a href="${root}/docs/guides/deprecation">deprecation policy</a>.</p>`
}

// The badges already show the scope.
export const withoutNotes = (description: string): string =>
  description.replace(/\n\n(Required scope: `[\w:]+`|Any valid key will do)\.[\s\S]*$/, '')
