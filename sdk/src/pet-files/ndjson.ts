import type { FileFormat, FileLine } from './file-format.ts'
import { readLines } from './lines.ts'

// JSON leaves these as they are; escaped, the file can be shown on a terminal.
const controls = /[\u007f-\u009f]|\p{Bidi_Control}/gu
const escapeControl = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const toLine = (record: object): string => JSON.stringify(record).replaceAll(controls, escapeControl)

/** One JSON object per line: categories, then pets. */
export const ndjson: FileFormat = {
  head: () => '',
  write: (record) => `${toLine(record)}\n`,
  async *read(chunks) {
    for await (const { line, bytes, text } of readLines(chunks)) {
      if (text === undefined) yield { line, bytes, fault: 'is too long or not UTF-8' }
      else if (text.trim() !== '') yield { line, bytes, text, ...parse(text) }
    }
  },
  preview: async () => ({ columns: [], rows: [], head: '' }),
  writeRejected: (rejections) => rejections.map(({ text = '', message }) => `${withFault(text, message)}\n`).join(''),
}

function parse(text: string): Pick<FileLine, 'value' | 'fault'> {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'is not valid JSON' }
  }
}

/** A line that is not an object stays as it is. */
function withFault(text: string, fault: string): string {
  const { value } = parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? toLine({ ...value, fault }) : text
}
