import { toJson } from '../controls.ts'
import type { Format, ReadLine } from './format.ts'
import { linesIn } from './lines.ts'

/** One JSON object a line: categories, then pets. */
export const ndjson: Format = {
  head: '',
  write: (record) => `${toJson(record)}\n`,
  async *read(chunks) {
    for await (const { line, bytes, text } of linesIn(chunks)) {
      if (text === undefined) yield { line, bytes, fault: 'is too long, or no UTF-8' }
      else if (text.trim() !== '') yield { line, bytes, ...parsed(text) }
    }
  },
}

function parsed(text: string): Pick<ReadLine, 'value' | 'fault'> {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'is no JSON' }
  }
}
