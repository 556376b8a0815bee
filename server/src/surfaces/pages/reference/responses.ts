import { codeBlock } from '../code.ts'
import { type Html, html } from '../html.ts'
import type { Site } from '../layout.ts'
import { inlineMarkdown } from '../markdown.ts'
import {
  type ApiDocument,
  type DescribedOperation,
  type DescribedResponse,
  firstMedia,
  itemOf,
  resolve,
} from './document.ts'
import { fieldTable } from './fields.ts'

export const isSuccess = (status: string): boolean => status.startsWith('2')

export const mediaOf = (document: ApiDocument, response: DescribedResponse) =>
  firstMedia(document, resolve(document, response).content)

/** The error codes that a response can have. */
export const codesOf = (document: ApiDocument, response: DescribedResponse): string[] =>
  Object.keys(mediaOf(document, response)?.examples ?? {})

/** A code that this share of operations returns is listed once. Nearly half of them have a body, and with it the errors of a body. */
const commonFrom = 0.4

/** The codes that many operations return, listed once. */
export function commonCodes(
  document: ApiDocument,
  operations: readonly DescribedOperation[],
  { shop: { errors } }: Pick<Site, 'shop'>,
): string[] {
  const counts = new Map<string, number>()
  for (const { responses } of operations) {
    const codes = new Set(Object.values(responses).flatMap((response) => codesOf(document, response)))
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return errors.map(({ code }) => code).filter((code) => (counts.get(code) ?? 0) >= operations.length * commonFrom)
}

const everywhere =
  /^(X-Request-Id|X-RateLimit-.*|RateLimit.*|Cache-Control|Retry-After|X-Stability|WWW-Authenticate|Allow)$/

export const isCommonHeader = (name: string): boolean => everywhere.test(name)

export const headerId = (name: string): string => `header-${name.toLowerCase()}`

/** The responses of an operation: the fields of a success, and its specific errors. */
export function responseList(
  document: ApiDocument,
  { operationId, responses }: DescribedOperation,
  common: readonly string[],
  site: Site,
): Html {
  const { root } = site
  const own = Object.entries(responses).flatMap(([status, response]) =>
    codesOf(document, response)
      .filter((code) => !common.includes(code))
      .map((code) => ({ status, code })),
  )
  return html`<h5>Responses</h5>
${Object.entries(responses)
  .filter(([, response]) => codesOf(document, response).length === 0)
  .map(([status, response]) => success(document, operationId, status, resolve(document, response)))}
${
  own.length > 0 &&
  html`<ul class="codes">${own.map(
    ({ status, code }) =>
      html`<li><span class="status s${status[0]}">${status}</span> <span><a href="${root}/errors#${code}"><code>${code}</code></a> ${inlineMarkdown(titleOf(site, code))}</span></li>`,
  )}</ul>`
}
<p class="type">And the <a href="#errors">common errors</a>.</p>`
}

function success(document: ApiDocument, operationId: string, status: string, response: DescribedResponse): Html {
  const media = mediaOf(document, response)
  const headers = Object.keys(response.headers ?? {}).filter((name) => !isCommonHeader(name))
  return html`<div class="success">
<p><span class="status s${status[0]}">${status}</span> ${inlineMarkdown(response.description)}${
    headers.length > 0 &&
    html` <span class="type">Headers: ${headers.map((name, index) => html`${index > 0 && ', '}<a href="#${headerId(name)}">${name}</a>`)}.</span>`
  }</p>
${media && html`<details class="shape"><summary>${itemOf(document, media.schema) === media.schema ? 'Fields' : 'Fields of each'}</summary>${fieldTable(document, itemOf(document, media.schema), `${operationId}.${status}`)}</details>`}
</div>`
}

/** The example bodies: the success is shown, each error is one click away. */
export function responseBodies(document: ApiDocument, { responses }: DescribedOperation): Html {
  const all = Object.entries(responses).map(([status, response]) => ({
    status,
    codes: codesOf(document, response),
    media: mediaOf(document, response),
  }))
  const [first] = all
  return html`<div class="response">
<p class="type">Response</p>
<div class="tabs" role="group" aria-label="Responses">${all.map(
    ({ status, codes }) =>
      html`<button data-status="${status}"${codes.length > 0 && html` data-codes="${codes.join(' ')}"`} aria-pressed="${status === first?.status ? 'true' : 'false'}">${status}</button>`,
  )}</div>
${all
  .filter(({ codes }) => codes.length === 0)
  .map(
    ({ status, media }) =>
      html`<div data-body-of="${status}"${status !== first?.status && html` hidden`}>${media?.example === undefined ? html`<p class="empty">No body.</p>` : exampleBlock(media.type, media.example)}</div>`,
  )}
<div class="error-bodies" hidden></div>
</div>`
}

const exampleBlock = (type: string, example: unknown): Html =>
  typeof example === 'string'
    ? codeBlock(example, 'text')
    : codeBlock(JSON.stringify(example, null, 2), type.includes('json') ? 'json' : 'text')

/** The example body of every error, once per page. */
export function errorBodies(document: ApiDocument, site: Site): Html[] {
  const { root } = site
  const examples = Object.entries(document.components.examples as Record<string, { value: unknown }>)
  return examples.map(
    ([code, { value }]) => html`<template id="body-${code}">
<p><a href="${root}/errors#${code}"><code>${code}</code></a> ${inlineMarkdown(titleOf(site, code))}</p>
${exampleBlock('json', value)}
</template>`,
  )
}

export const titleOf = ({ shop }: Site, code: string): string =>
  shop.errors.find((kind) => kind.code === code)?.title ?? ''
