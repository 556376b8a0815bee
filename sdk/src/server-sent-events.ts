/** One message of a stream. */
export interface Message {
  /** The place in the stream: where to go on after this message. */
  readonly id: string
  /** Undefined where only the place has moved. */
  readonly data: string | undefined
}

/** The messages of a stream, as the HTML standard reads them. A comment is no message, but shows that the stream lives. */
export async function* readMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Message, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let id = ''
  let told = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    // The last line may go on in the next chunk, and so may a line end of two characters.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'id') id = value
      if (field === 'data') data.push(value)
      if (line !== '') continue
      if (data.length > 0 || id !== told) yield { id, data: data.length > 0 ? data.join('\n') : undefined }
      told = id
      data = []
    }
  }
}

export interface Reading {
  /** How long nothing may come. */
  readonly quietMs: number
  /** Told of each chunk. */
  readonly heard: () => void
  readonly signal: AbortSignal | undefined
}

/** The chunks of a body. Throws when it is quiet for too long, or the signal's reason; the connection ends with it. */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  { quietMs, heard, signal }: Reading,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  const release = () => reader.cancel().catch(() => undefined)
  let quiet = false
  const tooQuiet = () => {
    quiet = true
    release()
  }
  signal?.addEventListener('abort', release)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const timer = setTimeout(tooQuiet, quietMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      signal?.throwIfAborted()
      if (quiet) throw new Error(`Nothing came for ${quietMs} ms.`)
      if (done) return
      heard()
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', release)
    release()
  }
}
