import type { Shop } from '../platform/compose/shop.ts'
import type { RecordedRequest } from './recorded.ts'

/** The requests, newest first, in the HTTP Archive format 1.2, oldest first. Sizes that are not known are -1. */
export function toHar({ title, version }: Shop, requests: readonly RecordedRequest[], baseUrl: string) {
  return {
    log: {
      version: '1.2',
      creator: { name: `${title} sandbox`, version },
      entries: requests.toReversed().map((request) => toEntry(request, baseUrl)),
    },
  }
}

const nameAndValue = (pairs: Iterable<readonly [string, string]>) =>
  [...pairs].map(([name, value]) => ({ name, value }))

function toEntry(recorded: RecordedRequest, baseUrl: string) {
  const { method, target, headers, body, status, responseHeaders, responseBody = '', durationMs, fault } = recorded
  const url = `${baseUrl}${target}`
  const type = (all: Readonly<Record<string, string>>) => all['content-type'] ?? ''
  return {
    startedDateTime: recorded.receivedAt,
    time: durationMs ?? 0,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: nameAndValue(Object.entries(headers)),
      queryString: nameAndValue(URL.parse(url)?.searchParams ?? []),
      ...(body !== undefined && { postData: { mimeType: type(headers), text: body } }),
      headersSize: -1,
      bodySize: body === undefined ? 0 : Buffer.byteLength(body),
    },
    response: {
      // HAR has 0 for a request without a response.
      status: status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: nameAndValue(Object.entries(responseHeaders)),
      content: { size: Buffer.byteLength(responseBody), mimeType: type(responseHeaders), text: responseBody },
      redirectURL: responseHeaders.location ?? '',
      headersSize: -1,
      bodySize: Buffer.byteLength(responseBody),
    },
    cache: {},
    timings: { send: 0, wait: durationMs ?? 0, receive: 0 },
    ...(fault !== undefined && { comment: `fault: ${fault}` }),
  }
}
