import { committedContract } from '../../contract/checker.ts'
import { eventually } from '../../harness/eventually.ts'
import { patiently } from '../../harness/patiently.ts'
import type { Client } from '../../harness/service.ts'

/** An event as a client sees it. */
export interface Seen {
  readonly id: string
  readonly type: string
  readonly time: string
  readonly data: Record<string, unknown>
  readonly previous?: Record<string, unknown>
  readonly orderId?: number
  readonly keyId?: number
}

/** Where the list continues, and whether there is more now. */
export function linkOf(headers: Headers): { rel: string; path: string } {
  const [, address = '', rel = ''] = /^<([^>]+)>; rel="(\w+)"$/.exec(headers.get('link') ?? '') ?? []
  const { pathname, search } = new URL(address)
  return { rel, path: pathname + search }
}

/** Polls, starting at a path, until `enough` returns true. Returns all events in order. */
export async function poll(client: Client, path: string, enough: (seen: Seen[]) => boolean): Promise<Seen[]> {
  const seen: Seen[] = []
  let at = path
  const readPage = async () => {
    const { status, body, headers } = await client.get(at)
    if (status !== 200) throw new Error(JSON.stringify(body))
    seen.push(...body)
    const { rel, path: next } = linkOf(headers)
    at = next
    return rel === 'next'
  }
  if (!enough(seen))
    await eventually(
      async () => {
        while ((await readPage()) && !enough(seen));
        return enough(seen)
      },
      () => seen,
    )
  return seen
}

/** The position after all events so far. */
export async function latest(client: Client): Promise<string> {
  const { headers } = await client.get('/events?after=latest')
  return new URLSearchParams(linkOf(headers).path.split('?')[1]).get('after') as string
}

export interface OpenStream {
  readonly status: number
  readonly headers: Headers
  /** The last id received, with or without an event. */
  readonly lastId: () => string | undefined
  /** Everything received so far, including lines that are not events. */
  readonly text: () => string
  readonly events: Seen[]
  /** Waits for the condition; fails if the stream ends first. */
  until(condition: () => boolean): Promise<void>
  /** Waits for the end: `ended` cleanly, or `cut`. */
  end(): Promise<'ended' | 'cut'>
  /** Disconnects. */
  close(): void
}

/** Opens a stream and reads it, as a client of server-sent events does; a busy service may reject it at first. */
export async function openStream(
  url: string,
  secret: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const aborting = new AbortController()
  const response = await patiently(() =>
    fetch(url, { headers: { 'X-API-Key': secret, ...headers }, signal: aborting.signal }),
  )
  const contract = committedContract()
  const events: Seen[] = []
  let [text, rest, lastId] = ['', '', undefined as string | undefined]
  let wake = () => {}
  let over: 'ended' | 'cut' | undefined
  let fault: unknown

  async function read(): Promise<'ended' | 'cut'> {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        const piece = decoder.decode(chunk, { stream: true })
        text += piece
        rest += piece
        const blocks = rest.split('\n\n')
        rest = blocks.pop() as string
        for (const block of blocks) take(block)
        wake()
      }
      return 'ended'
    } catch {
      return 'cut'
    }
  }

  function take(block: string): void {
    try {
      contract.checkMessage(block)
    } catch (error) {
      fault ??= error
    }
    for (const line of block.split('\n')) {
      if (line.startsWith('id: ')) lastId = line.slice(4)
      if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)))
    }
  }

  const reading = read().then((how) => {
    over = how
    wake()
    return how
  })
  return {
    status: response.status,
    headers: response.headers,
    lastId: () => lastId,
    text: () => text,
    events,
    async until(condition) {
      for (;;) {
        if (fault) throw fault
        if (condition()) return
        if (over) throw new Error(`the stream was ${over} before: ${text.slice(-500)}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    end: () => reading,
    close: () => aborting.abort(),
  }
}
