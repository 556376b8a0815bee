import type { FirstCall } from '../../platform/compose/content.ts'
import { codeBlock, codeInLanguages } from './code.ts'
import { type Html, html } from './html.ts'
import type { Site } from './layout.ts'
import { type ApiDocument, type DescribedOperation, operationsIn } from './reference/document.ts'
import { mediaOf } from './reference/responses.ts'
import { exampleRequest, samplesOfRequest } from './reference/samples.ts'
import { sdkAttribute } from './reference/sdk-call.ts'

/** A first call that can be sent from the page: its samples follow the form, and its response appears below. */
export function firstCall({ shop, baseUrl }: Site, document: ApiDocument): Html {
  const { operation: id, fields } = shop.firstCall
  const operation = operationsIn(document).find(({ operationId }) => operationId === id)
  if (!operation) return html``
  const query = fields.map(({ name, value, isBare = false }) => ({ name, value, bare: isBare }))
  const request = { ...exampleRequest(document, operation, baseUrl), query }
  return html`<div class="first-call">
${codeInLanguages(samplesOfRequest(request))}
<div class="try">
<form data-method="GET" data-path="${operation.path}" data-reads="json"${sdkAttribute(operation)} autocomplete="off">
${fields.map((field) => html`<div class="control"><label for="first-${field.name}">${field.label}</label>\n${control(field)}</div>\n`)}<p class="buttons"><button type="submit">Send</button> <button type="button" class="quiet" data-stop hidden>Stop</button></p>
</form>
<p class="response-status" role="status"></p>
<div class="response"><p class="type">The response, for example</p>${exampleBody(document, operation)}</div>
</div>
</div>`
}

const control = ({ name, value, options, isBare }: FirstCall['fields'][number]): Html =>
  options
    ? html`<select id="first-${name}" name="${name}" data-in="query">${options.map((option) => html`<option${option === value && html` selected`}>${option}</option>`)}</select>`
    : html`<input id="first-${name}" name="${name}" data-in="query"${isBare && html` data-bare`} value="${value}" inputmode="${isBare ? 'numeric' : 'text'}">`

function exampleBody(document: ApiDocument, { responses }: DescribedOperation): Html | undefined {
  const example = responses[200] && mediaOf(document, responses[200])?.example
  return example === undefined ? undefined : codeBlock(JSON.stringify(example, null, 2), 'json')
}

/** The key that every form of a page uses. */
export const keyForm = html`<form id="key-form" class="key-form" autocomplete="off">
<label class="key-label" for="key">API key</label>
<input id="key" class="key-input" type="password" autocomplete="off" spellcheck="false" placeholder="ps_…" aria-describedby="key-note">
<button type="submit">Check</button>
<button type="button" class="quiet" id="key-forget">Forget</button>
<p id="key-note" class="key-note" role="status">Used for every operation, and stored in this tab only.</p>
</form>`
