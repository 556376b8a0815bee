import type { Exchange } from '../history/exchange.ts'

/** The program that recorded the exchanges. */
interface Creator {
  readonly name: string
  readonly version: string
}

/** The exchanges in the HTTP Archive format 1.2. Sizes that are not known are -1. */
export const toHar = (creator: Creator, exchanges: readonly Exchange[], baseUrl: string) => ({
  log: { version: '1.2', creator, entries: exchanges.map((exchange) => toEntry(exchange, baseUrl)) },
})

const nameAndValue = (pairs: Iterable<readonly [string, string]>) =>
  [...pairs].map(([name, value]) => ({ name, value }))

/** As sent: what is recorded may be a hash, or a part. */
const sizeOf = (headers: Readonly<Record<string, string>>, body = ''): number =>
  Number(headers['content-length'] ?? Buffer.byteLength(body))

function toEntry(exchange: Exchange, baseUrl: string) {
  const { method, target, headers, body, status, responseHeaders, responseBody = '' } = exchange
  const { durationMs, received, fault, client, connection, operation, name, bodyCut, hasCredential } = exchange
  const url = `${baseUrl}${target}`
  const type = (all: Readonly<Record<string, string>>) => all['content-type'] ?? ''
  return {
    startedDateTime: new Date(exchange.arrivedMs).toISOString(),
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
      bodySize: sizeOf(headers, body),
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
      bodySize: sizeOf(responseHeaders, responseBody),
    },
    cache: {},
    timings: { send: 0, wait: durationMs ?? 0, receive: 0 },
    ...(connection !== undefined && { connection: String(connection) }),
    // What the format has no fields for, as programs that read it expect: with an underscore.
    ...{ _client: client, _operation: operation, _name: name, _received: received, _fault: fault },
    ...{ _bodyCut: bodyCut, _hasCredential: hasCredential },
    comment: [`received: ${received}`, ...(fault === undefined ? [] : [`fault: ${fault}`])].join(', '),
  }
}
