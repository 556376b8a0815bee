import { afterEach, expect, spyOn, test } from 'bun:test'
import { type EventPage, follow } from '../src/follow.ts'
import { Transport } from '../src/transport.ts'

// When follow opens another stream, when it polls, and how long it waits.

afterEach(() => timers?.mockRestore())
let timers: ReturnType<typeof spyOn> | undefined

/** Follows these streams, then these pages, until there are no more; `pauses` are its waits. */
async function followAll(streams: readonly ReadableStream<Uint8Array>[], pages: readonly EventPage<string>[] = []) {
  const pauses: number[] = []
  const opened: (string | undefined)[] = []
  const polled: (string | undefined)[] = []
  const seen: string[] = []
  let openedAfter: number | undefined
  const sleep = async (ms: number) => void pauses.push(ms)
  const service = new Transport({ baseUrl: 'http://petstore.test', now: () => 0, random: () => 1, sleep })
  const next = <T>(list: readonly T[], index: number): T => {
    if (index < list.length) return list[index] as T
    throw new Error('no more')
  }
  const source = {
    open: async (after: string | undefined) => {
      opened.push(after)
      if (opened.length > streams.length) throw new Error('polls no more')
      return new Response(next(streams, opened.length - 1), { headers: { 'Content-Type': 'text/event-stream' } })
    },
    poll: async (after: string | undefined) => {
      polled.push(after)
      return next(pages, polled.length - 1)
    },
    onOpen: () => {
      openedAfter = opened.length + polled.length
    },
  }
  const ended = new AbortController()
  const stop = () => ended.abort(new Error('enough'))
  try {
    for await (const event of follow<string>(service, source, undefined, ended.signal)) {
      seen.push(event)
      if (event === 'last') stop()
    }
  } catch (error) {
    if (!['enough', 'no more'].includes((error as Error).message)) throw error
  }
  return { seen, pauses, opened, polled, openedAfter }
}

const sending = (text: string) => new Response(text).body as ReadableStream<Uint8Array>
const sendingNothing = () => sending('')

test('after two streams in a row without a byte it polls', async () => {
  const { opened, polled } = await followAll([
    sendingNothing(),
    sending(': alive\n\n'),
    sendingNothing(),
    sendingNothing(),
    sendingNothing(),
  ])
  expect(opened).toHaveLength(4)
  expect(polled).toEqual([undefined])
})

test('streams that end after a heartbeat are opened again after a short wait, from the last event, without polling', async () => {
  const beats = [sending(': alive\n\n'), sending('id: 7\ndata: "first"\n\n'), sending(': alive\n\n')]
  const { seen, opened, polled, pauses } = await followAll([...beats, sending('id: 8\ndata: "last"\n\n')])
  expect(seen).toEqual(['first', 'last'])
  expect(opened).toEqual([undefined, undefined, '7', '7'])
  expect(polled).toEqual([])
  expect(pauses).toEqual([125, 125, 125])
})

test('it says once when its position is known, from a stream or a page', async () => {
  const [quiet, broken] = [sending(': alive\n\n'), sending('id: 7\n\n')]
  expect((await followAll([quiet, broken, sending('id: 8\ndata: "last"\n\n')])).openedAfter).toBe(2)
  const pages = [{ events: ['last'], after: '4', hasMore: false }]
  expect((await followAll([sendingNothing(), sendingNothing()], pages)).openedAfter).toBe(3)
})

test('a stream that is open but quiet for 75 seconds is given up, although the service promises 50', async () => {
  const delays: number[] = []
  timers = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    delays.push(ms)
    queueMicrotask(run)
    return 0
  }) as never)
  const quiet = () => new ReadableStream<Uint8Array>()
  const { opened, polled } = await followAll([quiet(), quiet()])
  expect(delays).toEqual([75_000, 75_000])
  expect(opened).toHaveLength(2)
  expect(polled).toHaveLength(1)
})

test('polling reads full pages one after the other, and waits five seconds at the end', async () => {
  const pages = [
    { events: ['a', 'b'], after: '2', hasMore: true },
    { events: ['c'], after: '3', hasMore: false },
    { events: [], after: '3', hasMore: false },
    { events: ['last'], after: '4', hasMore: false },
  ]
  const { seen, polled, pauses } = await followAll([sendingNothing(), sendingNothing()], pages)
  expect(seen).toEqual(['a', 'b', 'c', 'last'])
  expect(polled).toEqual([undefined, '2', '3', '3'])
  expect(pauses).toEqual([250, 500, 5_000, 5_000, 5_000])
})
