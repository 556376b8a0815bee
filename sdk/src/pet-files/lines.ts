const newline = 0x0a
/** A longer line is rejected, and not kept in memory. */
const lineBytesMax = 1024 * 1024

export interface Line {
  /** Line number, from 1. */
  readonly line: number
  /** Bytes from the start of the file to the end of this line. */
  readonly bytes: number
  /** Undefined if the line is too long or not UTF-8. */
  readonly text: string | undefined
}

/** Splits a stream of bytes into lines, without the byte order mark. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  let parts: Uint8Array[] = []
  let length = 0
  let line = 0
  let bytes = 0
  const endLine = (): Line => {
    const text = length > lineBytesMax ? undefined : decode(parts)
    parts = []
    length = 0
    line++
    return { line, bytes, text: line === 1 ? text?.replace(/^\uFEFF/, '') : text }
  }
  const append = (part: Uint8Array) => {
    length += part.length
    bytes += part.length
    if (length <= lineBytesMax) parts.push(part)
    else parts = []
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      append(chunk.subarray(from, at))
      bytes++
      yield endLine()
      from = at + 1
    }
    append(chunk.subarray(from))
  }
  if (length > 0) yield endLine()
}

function decode(parts: readonly Uint8Array[]): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
  } catch {
    return undefined
  }
}
