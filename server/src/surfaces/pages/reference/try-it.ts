import { type Html, html } from '../html.ts'
import { type ApiDocument, type DescribedOperation, type Parameter, resolve } from './document.ts'
import { isBare, valuesOf } from './fields.ts'
import { readsOf } from './samples.ts'
import { sdkAttribute } from './sdk-call.ts'

/** The form that sends a real request. The page's script submits it and shows the response. */
export function tryIt(document: ApiDocument, operation: DescribedOperation): Html {
  const { body } = operation
  const id = (name: string) => `try-${operation.operationId}-${name}`
  return html`<details class="try">
<summary>Try it<span class="for-screen-readers">: ${operation.summary}</span></summary>
<form data-method="${operation.method}" data-path="${operation.path}" data-reads="${readsOf(document, operation)}"${sdkAttribute(operation)} autocomplete="off">
${operation.parameters.map((parameter) => control(document, parameter, id(parameter.name)))}
${
  body &&
  html`<div class="control wide">
<label for="${id('body')}">Body <span class="type">${body.type}</span></label>
<textarea id="${id('body')}" data-in="body" data-type="${body.type}" rows="${rowsOf(body.example)}" spellcheck="false">${indented(body.example)}</textarea>
</div>`
}
<p class="buttons"><button type="submit">Send</button> <button type="button" class="quiet" data-stop hidden>Stop</button></p>
</form>
<p class="response-status" role="status"></p>
<div class="response" hidden></div>
</details>`
}

function control(document: ApiDocument, parameter: Parameter, id: string): Html {
  const { name, in: location, required, schema, explode, example } = parameter
  const shape = resolve(document, schema)
  const label = html`<code>${name}</code> <span class="type">${location}</span>${required && html` <span class="required">required</span>`}`
  const bare = isBare(document, schema) && location === 'query' && html` data-bare`
  const values = shape.type === 'boolean' ? ['true', 'false'] : valuesOf(document, schema)
  if (values && shape.type === 'array') {
    return html`<fieldset class="control wide"><legend>${label}</legend>${values.map(
      (value) =>
        html`<label class="choice"><input type="checkbox" name="${name}" value="${value}" data-in="${location}"> ${value}</label>`,
    )}</fieldset>`
  }
  if (values) {
    return html`<div class="control"><label for="${id}">${label}</label>
<select id="${id}" name="${name}" data-in="${location}"${bare}><option value=""></option>${values.map((value) => html`<option>${value}</option>`)}</select></div>`
  }
  const hint = example === undefined ? '' : Array.isArray(example) ? example.join(',') : String(example)
  return html`<div class="control"><label for="${id}">${label}</label>
<input id="${id}" name="${name}" data-in="${location}"${bare}${explode && html` data-repeat`}${required && html` required value="${hint}"`} placeholder="${required ? '' : hint}" spellcheck="false"></div>`
}

const indented = (example: unknown = {}): string => JSON.stringify(example, null, 2)

const rowsOf = (example: unknown): number => Math.min(16, indented(example).split('\n').length)
