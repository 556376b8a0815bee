import { codeBlock, codeInLanguages } from './code.ts'
import { type Html, html } from './html.ts'
import { type ApiDocument, type DescribedOperation, operationsIn } from './reference/document.ts'
import { mediaOf } from './reference/responses.ts'
import { exampleRequest, samplesOfRequest } from './reference/samples.ts'
import { sdkCallOf } from './reference/sdk-call.ts'

const query = [
  { name: 'status', value: 'available', bare: false },
  { name: 'limit', value: '3', bare: true },
]

/** A first call that can be sent from the page: its samples follow the form, and its answer appears below. */
export function firstCall(document: ApiDocument, baseUrl: string): Html {
  const operation = operationsIn(document).find(({ operationId }) => operationId === 'listPets')
  if (!operation) return html``
  const request = { ...exampleRequest(document, operation, baseUrl), query }
  return html`<div class="first-call">
${codeInLanguages(samplesOfRequest(request))}
<div class="try">
<form data-method="GET" data-path="/pets" data-reads="json" data-sdk="${JSON.stringify(sdkCallOf(operation))}" autocomplete="off">
<div class="control"><label for="first-status">Status</label>
<select id="first-status" name="status" data-in="query"><option>available</option><option>pending</option><option>sold</option></select></div>
<div class="control"><label for="first-limit">How many</label>
<input id="first-limit" name="limit" data-in="query" data-bare value="3" inputmode="numeric"></div>
<p class="buttons"><button type="submit">Send</button> <button type="button" class="quiet" data-stop hidden>Stop</button></p>
</form>
<p class="answer-status" role="status"></p>
<div class="answer"><p class="type">The response, for example</p>${exampleBody(document, operation)}</div>
</div>
</div>`
}

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
