/** One message of a stream. */
export interface Message {
  /** The position in the stream, to resume after this message. */
  readonly id: string
  /** Undefined if only the position moved. */
  readonly data: string | undefined
}

/** Parses a stream as the HTML standard says. A comment is not a message, but shows that the stream is alive. */
export async function* readMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Message, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let id = ''
  let lastId = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    // The last line may continue in the next chunk, and so may CRLF.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'id') id = value
      if (field === 'data') data.push(value)
      if (line !== '') continue
      if (data.length > 0 || id !== lastId) yield { id, data: data.length > 0 ? data.join('\n') : undefined }
      lastId = id
      data = []
    }
  }
}

export interface ReadOptions {
  /** How long the stream may be silent. */
  readonly silenceMaxMs: number
  /** Called for each chunk. */
  readonly onChunk: () => void
  readonly signal: AbortSignal | undefined
}

/** Reads the chunks of a body. Throws if it is silent for too long or the signal is aborted, and closes the connection. */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  { silenceMaxMs, onChunk, signal }: ReadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  const release = () => reader.cancel().catch(() => undefined)
  let isSilent = false
  const onSilence = () => {
    isSilent = true
    release()
  }
  signal?.addEventListener('abort', release)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const timer = setTimeout(onSilence, silenceMaxMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      signal?.throwIfAborted()
      if (isSilent) throw new Error(`Nothing came for ${silenceMaxMs} ms.`)
      if (done) return
      onChunk()
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', release)
    release()
  }
}
