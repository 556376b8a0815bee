import { languages, type ShownRequest } from '../client/samples.client.js'
import type { ApiDocument, DescribedOperation } from './document.ts'
import { isSuccess, mediaOf } from './responses.ts'

/** The request that the samples of an operation show: what is required and nothing else, as the form begins with. */
export function exampleRequest(document: ApiDocument, operation: DescribedOperation, baseUrl: string): ShownRequest {
  const { method, body } = operation
  return {
    method,
    address: baseUrl + examplePath(operation),
    headers: operation.parameters
      .filter(({ in: place, required }) => place === 'header' && required)
      .map(({ name, example }) => [name, String(example)]),
    ...(body && { body: JSON.stringify(body.example ?? {}, null, 2), type: body.type }),
    reads: readsOf(document, operation),
  }
}

/** An operation's samples, one for each language. */
export const samplesOf = (document: ApiDocument, operation: DescribedOperation, baseUrl: string) =>
  languages.map(({ id, sample }) => ({ language: id, code: sample(exampleRequest(document, operation, baseUrl)) }))

/** What is done with the answer. */
export function readsOf(document: ApiDocument, { responses }: DescribedOperation): ShownRequest['reads'] {
  const types = Object.entries(responses)
    .filter(([status]) => isSuccess(status))
    .map(([, answer]) => mediaOf(document, answer)?.type)
  if (types.includes('text/event-stream')) return 'stream'
  return types.some((type) => type !== undefined) ? 'json' : 'nothing'
}

function examplePath({ path, parameters }: DescribedOperation): string {
  const example = (name: string) => parameters.find((parameter) => parameter.name === name)?.example ?? 1
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example(name))))
  const query = new URLSearchParams()
  for (const { name, in: place, required } of parameters) {
    if (place === 'query' && required) query.append(name, String(example(name)))
  }
  return filled + (query.size === 0 ? '' : `?${query}`)
}
