import { type Html, html } from '../html.ts'
import type { Place } from '../layout.ts'
import { inlineMarkdown, markdown } from '../markdown.ts'
import {
  type ApiDocument,
  type DescribedAnswer,
  type DescribedOperation,
  firstMedia,
  type Header,
  resolve,
} from './document.ts'
import { fieldTable, parameterTable } from './fields.ts'
import { curlSample, fetchSample } from './samples.ts'
import { tryIt } from './try-it.ts'

/** All there is to know of one operation, and a form to try it. */
export function operationSection(document: ApiDocument, operation: DescribedOperation, { baseUrl, root }: Place): Html {
  const { operationId, method, path, summary, description, parameters, body } = operation
  return html`<section class="operation" aria-labelledby="${operationId}">
<div class="facts">
<h4 id="${operationId}"><a class="anchor${operation.deprecated ? ' struck' : ''}" href="#${operationId}">${summary}</a></h4>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${badges(operation)}
${deprecation(operation, root)}
<div class="prose">${markdown(withoutNotes(description), root)}</div>
${parameters.length > 0 && html`<h5>Parameters</h5>${parameterTable(document, parameters)}`}
${body && html`<h5>Body</h5>${fieldTable(document, body.schema)}`}
<h5>Answers</h5>
${Object.entries(operation.responses).map(([status, answer]) => answerDetails(document, status, resolve(document, answer), root))}
</div>
<div class="samples">
${sample('curl', curlSample(operation, baseUrl))}
${sample('TypeScript', fetchSample(operation, baseUrl))}
${operation['x-hideTryItPanel'] !== true && tryIt(document, operation)}
</div>
</section>`
}

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
  return html`<p class="notice">Deprecated. It answers until <time datetime="${sunset}">${written}</time> (sunset ${sunset}) and with 410 from then on. See the <a href="${root}/docs/guides/deprecation">deprecation policy</a>.</p>`
}

// The badges say it already.
const withoutNotes = (description: string): string =>
  description.replace(/\n\n(Required scope: `[\w:]+`|Any valid key will do)\.[\s\S]*$/, '')

function answerDetails(document: ApiDocument, status: string, answer: DescribedAnswer, root: string): Html {
  const media = firstMedia(document, answer.content)
  const codes = Object.keys(media?.examples ?? {})
  return html`<details class="answers">
<summary><span class="status s${status[0]}">${status}</span> ${codes.length === 0 ? inlineMarkdown(answer.description) : codes.map((code, index) => html`${index > 0 && ', '}<code>${code}</code>`)}</summary>
${codes.length > 0 && html`<p>${codes.map((code, index) => html`${index > 0 && ' · '}<a href="${root}/errors#${code}">${code}</a>`)}</p>`}
${media && codes.length === 0 && html`${fieldTable(document, media.schema)}${media.example !== undefined && html`<pre tabindex="0"><code>${JSON.stringify(media.example, null, 2)}</code></pre>`}`}
${headers(document, status, answer.headers ?? {})}
</details>`
}

/** The headers of a success with what they mean; of a refusal, which carries few others, their names. */
function headers(document: ApiDocument, status: string, described: Readonly<Record<string, Header>>): Html {
  const names = Object.entries(described)
  if (!status.startsWith('2')) {
    return html`<p class="type">Headers: ${names.map(([name]) => name).join(', ')}</p>`
  }
  return html`<p class="type">Headers</p>
<dl class="fields">${names.map(
    ([name, header]) =>
      html`<div><dt><code>${name}</code></dt><dd>${inlineMarkdown(resolve(document, header).description ?? '')}</dd></div>`,
  )}</dl>`
}

const sample = (language: string, code: string): Html => html`<figure class="sample">
<figcaption>${language}</figcaption>
<pre tabindex="0"><code>${code}</code></pre>
</figure>`
