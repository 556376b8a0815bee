const newline = 0x0a
/** A line that is longer is no line of ours, and is not kept in memory. */
const lineBytesMax = 1024 * 1024

export interface Line {
  /** From 1. */
  readonly line: number
  /** Up to its end. */
  readonly bytes: number
  /** Undefined when it was too long, or no UTF-8. */
  readonly text: string | undefined
}

/** The lines of a stream of bytes, one after the other; a mark of the byte order at its beginning is left out. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  let parts: Uint8Array[] = []
  let length = 0
  let line = 0
  let bytes = 0
  const end = (): Line => {
    const text = length > lineBytesMax ? undefined : decoded(Buffer.concat(parts))
    parts = []
    length = 0
    line++
    return { line, bytes, text: line === 1 ? text?.replace(/^\uFEFF/, '') : text }
  }
  const take = (part: Uint8Array) => {
    length += part.length
    bytes += part.length
    if (length <= lineBytesMax) parts.push(part)
    else parts = []
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at))
      bytes++
      yield end()
      from = at + 1
    }
    take(chunk.subarray(from))
  }
  if (length > 0) yield end()
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
