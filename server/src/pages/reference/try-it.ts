import { type Html, html } from '../html.ts'
import { type ApiDocument, type DescribedOperation, type Parameter, resolve } from './document.ts'

/** The form that sends a real request. The script of the page submits it and fills in the answer. */
export function tryIt(document: ApiDocument, operation: DescribedOperation): Html {
  const { body } = operation
  const id = (name: string) => `${operation.operationId}-${name}`
  return html`<details class="try">
<summary>Try it<span class="for-screen-readers">: ${operation.summary}</span></summary>
<form data-method="${operation.method}" data-path="${operation.path}" autocomplete="off">
${operation.parameters.map(
  (parameter) => html`<div class="control">
<label for="${id(parameter.name)}"><code>${parameter.name}</code> <span class="type">${parameter.in}</span>${parameter.required && html` <span class="required">required</span>`}</label>
${control(document, parameter, id(parameter.name))}
</div>`,
)}
${
  body &&
  html`<div class="control wide">
<label for="${id('body')}">Body <span class="type">${body.type}</span></label>
<textarea id="${id('body')}" data-in="body" data-type="${body.type}" rows="${rowsOf(body.example)}" spellcheck="false">${indented(body.example)}</textarea>
</div>`
}
<p class="buttons"><button type="submit">Send</button> <button type="button" class="quiet" data-stop hidden>Stop</button></p>
</form>
<p class="answer-status" role="status"></p>
<div class="answer" hidden></div>
</details>`
}

function control(
  document: ApiDocument,
  { name, in: place, required, schema, explode, example }: Parameter,
  id: string,
): Html {
  const shape = resolve(document, schema)
  const values = shape.type === 'boolean' ? ['true', 'false'] : shape.enum
  if (values) {
    return html`<select id="${id}" name="${name}" data-in="${place}"><option value=""></option>${values.map((value) => html`<option>${value}</option>`)}</select>`
  }
  const hint = example === undefined ? '' : Array.isArray(example) ? example.join(',') : String(example)
  return html`<input id="${id}" name="${name}" data-in="${place}"${explode && html` data-repeat`}${required && html` required value="${hint}"`} placeholder="${required ? '' : hint}" spellcheck="false">`
}

const indented = (example: unknown = {}): string => JSON.stringify(example, null, 2)

const rowsOf = (example: unknown): number => Math.min(16, indented(example).split('\n').length)
