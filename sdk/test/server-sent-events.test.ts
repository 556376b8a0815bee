import { expect, mock, test } from 'bun:test'
import { readChunks, readMessages } from '../src/server-sent-events.ts'

const bytes = new TextEncoder().encode(
  ': hello\n\nretry: 100\nid: 0\n\nid: 1\nevent: pet.created\ndata: {"name":"Zoë 🐕"}\n\n' +
    'id: 2\r\ndata:two\r\ndata: lines\r\n\r\n: still here\r\nid: 3\rdata\r\rid: 4\ndata: never finished\n',
)
const messages = [
  { id: '0', data: undefined },
  { id: '1', data: '{"name":"Zoë 🐕"}' },
  { id: '2', data: 'two\nlines' },
  { id: '3', data: '' },
]

async function* inPieces(...ends: number[]) {
  let from = 0
  for (const end of [...ends, bytes.length]) {
    yield bytes.slice(from, end)
    from = end
  }
}

test('messages are the same wherever the network splits them', async () => {
  expect(await Array.fromAsync(readMessages(inPieces()))).toEqual(messages)
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await Array.fromAsync(readMessages(inPieces(cut)))).toEqual(messages)
  }
  const everyByte = Array.from(bytes, (_, index) => index)
  expect(await Array.fromAsync(readMessages(inPieces(...everyByte)))).toEqual(messages)
})

test('a stream that is silent for too long is closed', async () => {
  const released = mock()
  const silent = new ReadableStream<Uint8Array>({ cancel: released })
  const chunks = readChunks(silent, { silenceMaxMs: 10, onChunk: () => undefined, signal: undefined })
  expect(await chunks.next().catch((error) => error.message)).toBe('Nothing came for 10 ms.')
  expect(released).toHaveBeenCalledTimes(1)
})

test('a stream is closed at once if its signal was aborted before', async () => {
  const released = mock()
  const signal = AbortSignal.abort(new Error('early'))
  const open = new ReadableStream<Uint8Array>({ cancel: released })
  const chunks = readChunks(open, { silenceMaxMs: 60_000, onChunk: () => undefined, signal })
  expect(await chunks.next().catch((error) => error.message)).toBe('early')
  expect(released).toHaveBeenCalledTimes(1)
})
