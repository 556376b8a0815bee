import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { startService } from '../../harness/service.ts'

// Requests that Bun's parser rejects itself. It has no hook for them, so these responses have no body and no rate-limit headers. The guide
// about limits says in short what they are.

const service = await startService()
afterAll(() => service.stop())
const guideAbout = async (name: string) => (await fetch(`${service.url}/docs/guides/${name}.md`)).text()
const guide = await guideAbout('limits')

/** Sends the bytes and reads until the other side closes. */
const sendBytes = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text, 'latin1'))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })

const host = 'Host: petstore.test'
const get = (...headers: string[]) => ask('GET /limits HTTP/1.1', host, ...headers)
const post = (...headers: string[]) => ask('POST /categories HTTP/1.1', host, ...headers)
const ask = (line: string, ...headers: string[]) =>
  [line, ...headers, `X-API-Key: ${service.adminSecret}`, 'Connection: close', '', ''].join('\r\n')
const chunks = (text: string) => post('Transfer-Encoding: chunked') + text
/** A request whose head has this many bytes. */
const headOf = (bytes: number) => get(`X-Long: ${'x'.repeat(bytes - get('X-Long: ').length)}`)
/** A request with this many headers. */
const headers = (count: number) => get(...Array.from({ length: count - 3 }, (_, index) => `X-${index}: 1`))

const unreadable: Record<number, Record<string, readonly string[]>> = {
  400: {
    'no `Host` in HTTP/1.1': [ask('GET /limits HTTP/1.1')],
    'a `Content-Length` that is no number, differs from a second one, or is sent with `Transfer-Encoding`': [
      ...['', 'abc', '-1', '+5', '9'.repeat(24)].map((length) => post(`Content-Length: ${length}`)),
      post('Content-Length: 2', 'Content-Length: 3'),
      post('Content-Length: 2', 'Transfer-Encoding: chunked'),
    ],
    'a `Transfer-Encoding` other than one `chunked`, or in HTTP/1.0': [
      post('Transfer-Encoding: gzip'),
      post('Transfer-Encoding: gzip, chunked'),
      post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
      ask('POST /categories HTTP/1.0', host, 'Transfer-Encoding: chunked'),
    ],
    'chunks that do not have the length they declare': [chunks('zz\r\n{}\r\n0\r\n\r\n'), chunks('2\r\n{}xx0\r\n\r\n')],
    'a header without a colon or a name, folded, with a space before the colon, or with a character that headers may not have':
      ['XA', ': 1', 'X-A: 1\r\n folded', 'X-A : 1', 'X(A): 1', 'X-A: a\0b', 'X-A: a\x01b', 'X-A: a\rb'].map((header) =>
        get(header),
      ),
    'a method with a character that methods may not have': [ask('G(T /limits HTTP/1.1', host), 'hello\r\n\r\n'],
    'a path that does not start with `/`, `*` included': [
      ask('GET limits HTTP/1.1', host),
      ask('OPTIONS * HTTP/1.1', host),
      ask('GET  /limits HTTP/1.1', host),
    ],
    'anything between two requests, such as a line break after a body': [`\r\n${get()}`],
  },
  431: {
    'a request line and headers of more than 64 KiB': [
      headOf(65_537),
      ask(`GET /${'x'.repeat(65_537)} HTTP/1.1`, host),
    ],
    'more than 198 headers': [headers(199)],
  },
  505: {
    'a request line that does not end with `HTTP/1.1` or `HTTP/1.0`, for example because of a space or a control character in the path':
      [
        ask('GET /limits HTTP/2.0', host),
        ask('GET /limits', host),
        ask('GET /li mits HTTP/1.1', host),
        ask('GET /li\x01mits HTTP/1.1', host),
        get().replaceAll('\r\n', '\n'),
      ],
  },
}
const phrases = { 400: 'Bad Request', 431: 'Request Header Fields Too Large', 505: 'HTTP Version Not Supported' }

for (const [status, phrase] of Object.entries(phrases)) {
  describe(status, () => {
    test.each(Object.entries(unreadable[Number(status)] ?? {}))('%s', async (_, requests) => {
      for (const request of requests) {
        expect(await sendBytes(request)).toBe(`HTTP/1.1 ${status} ${phrase}\r\nConnection: close\r\n\r\n`)
      }
    })

    test('is in the guide about limits', () => expect(guide).toContain(`\n- ${status}: `))
  })
}

test('the description says the same in short, and the guide about errors leads there', async () => {
  const inShort =
    'no body: 400 for what is not valid HTTP and for `OPTIONS *`, 431 for more than 64 KiB or 198 headers, 505 for another version'
  expect(service.contract.description.info.description).toContain(inShort)
  expect(await guideAbout('errors')).toContain('/docs/guides/limits.md#what-is-not-http')
})

test('a method that does not exist closes the connection without a response', async () => {
  for (const method of ['BREW', 'get']) expect(await sendBytes(ask(`${method} /limits HTTP/1.1`, host))).toBe('')
  expect(guide).toContain('A method that no standard names closes the connection')
})

test.each([
  ['a head of 64 KiB', headOf(65_536), 431],
  ['198 headers', headers(198), 200],
  ['a second Host', get(host), 400],
  ['an absolute URL', ask('GET http://petstore.test/limits HTTP/1.1', host), 200],
  ['a path with a wrong escape', ask('GET /pets/%zz HTTP/1.1', host), 400],
  ['a path that is not ASCII', ask('GET /p\xe9ts HTTP/1.1', host), 404],
  ['an unusual method', ask('TRACE /limits HTTP/1.1', host), 405],
  ['an expectation', post('Expect: miracles', 'Content-Length: 0'), 400],
  ['no Host in HTTP/1.0', ask('GET /limits HTTP/1.0'), 200],
])('%s has rate-limit headers', async (_, request, status) => {
  const response = await sendBytes(request)
  expect(response).toStartWith(`HTTP/1.1 ${status} `)
  for (const name of ['Limit', 'Remaining', 'Reset'])
    expect(response).toMatch(new RegExp(`^x-ratelimit-${name}: \\d+\\r$`, 'im'))
})
