import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { replaceFile } from './replace-file.ts'

export const requestsMax = 1_000
/** How much text is kept for one sandbox. The file is cut when it exceeds twice this size, or twice the number of requests. */
const bytesMax = 4 * 1024 * 1024

/** The file with the last requests of a sandbox, one JSON text per line. */
export interface RequestFile {
  /** The highest id that it has had. */
  lastId(): number
  append(lines: readonly string[]): void
  /** The latest lines. */
  read(): readonly string[]
  /** The latest lines, and older ones that have not been cut yet. */
  readAll(): readonly string[]
}

/** `onCut` is called before lines are cut, with the highest of their ids. */
export function openRequestFile(file: string, onCut: (upTo: number) => void): RequestFile {
  const found = readLines(file)
  // Removes what a crash left half written.
  let bytes = replaceLines(file, found)
  let count = found.length
  let lastId = highestId(found)

  function cut(): void {
    const lines = readLines(file)
    const latest = latestOf(lines)
    onCut(highestId(lines.slice(0, lines.length - latest.length)))
    bytes = replaceLines(file, latest)
    count = latest.length
  }

  return {
    lastId: () => lastId,
    append(lines) {
      const text = textOf(lines)
      appendFileSync(file, text, { mode: 0o600 })
      bytes += text.length
      count += lines.length
      lastId = Math.max(lastId, highestId(lines))
      if (bytes > 2 * bytesMax || count > 2 * requestsMax) cut()
    },
    read: () => latestOf(readLines(file)),
    readAll: () => readLines(file),
  }
}

/** The lines of the file. A crash may have cut the last one: it does not count. */
const readLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []

function latestOf(lines: readonly string[]): readonly string[] {
  let from = lines.length
  let bytes = 0
  while (from > 0 && lines.length - from < requestsMax) {
    bytes += lines[from - 1]?.length ?? 0
    if (bytes > bytesMax) break
    from--
  }
  return lines.slice(from)
}

/** Every line begins with its id. */
export const idOf = (line: string): number => Number.parseInt(line.slice('{"id":'.length), 10)

const highestId = (lines: readonly string[]): number => Math.max(0, ...lines.map(idOf))

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Returns the new size. */
function replaceLines(file: string, lines: readonly string[]): number {
  const text = textOf(lines)
  replaceFile(file, text)
  return text.length
}
