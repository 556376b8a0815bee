import { languages, type ShownRequest } from '../client/samples.client.js'
import type { ApiDocument, DescribedOperation, Parameter } from './document.ts'
import { isBare } from './fields.ts'
import { isSuccess, mediaOf } from './responses.ts'
import { sdkCallOf } from './sdk-call.ts'

/** The request that samples show: required values only, like the initial form. */
export function exampleRequest(document: ApiDocument, operation: DescribedOperation, baseUrl: string): ShownRequest {
  const { method, path, body, parameters } = operation
  const required = (location: Parameter['in']) => parameters.filter((each) => each.in === location && each.required)
  const params = required('path').map(({ example = 1 }) => String(example))
  const rest = [...params]
  return {
    base: baseUrl,
    method,
    path: path.replace(/\{\w+\}/g, () => encodeURIComponent(rest.shift() ?? '')),
    params,
    query: required('query').map(({ name, example, schema }) => ({
      name,
      value: String(example),
      bare: isBare(document, schema),
    })),
    headers: required('header').map(({ name, example }) => [name, String(example)]),
    ...(body && { body: JSON.stringify(body.example ?? {}, null, 2), type: body.type }),
    sdk: sdkCallOf(operation),
    reads: readsOf(document, operation),
  }
}

/** The samples of an operation, one per language. */
export const samplesOf = (document: ApiDocument, operation: DescribedOperation, baseUrl: string) =>
  samplesOfRequest(exampleRequest(document, operation, baseUrl))

export const samplesOfRequest = (request: ShownRequest) =>
  languages.map(({ id, sample }) => ({ language: id, code: sample(request) }))

/** How samples read the response. */
export function readsOf(document: ApiDocument, { responses }: DescribedOperation): ShownRequest['reads'] {
  const types = Object.entries(responses)
    .filter(([status]) => isSuccess(status))
    .map(([, response]) => mediaOf(document, response)?.type)
  if (types.includes('text/event-stream')) return 'stream'
  return types.some((type) => type !== undefined) ? 'json' : 'nothing'
}
