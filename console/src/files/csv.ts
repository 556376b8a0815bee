// CSV as RFC 4180 has it: quotes around what needs them, doubled inside, any line end.

/** Cells, line by line. A quoted cell may span lines; `line` is where its row begins. */
export function parseCsv(text: string): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = []
  let cells: string[] = []
  let cell = ''
  let quoted = false
  let line = 1
  let begin = 1
  const endRow = () => {
    cells.push(cell)
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: begin, cells })
    cells = []
    cell = ''
  }
  for (let index = text.charCodeAt(0) === 0xfeff ? 1 : 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '\n') line++
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[index + 1] === '"') cell += text.charAt(index++)
      else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === ',') {
      cells.push(cell)
      cell = ''
    } else if (character === '\n') {
      endRow()
      begin = line
    } else if (character !== '\r') cell += character
  }
  endRow()
  return rows
}

export const csvLine = (cells: readonly (string | number | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

function csvCell(value: string | number | undefined): string {
  const text = typeof value === 'string' ? asText(value) : String(value ?? '')
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// A spreadsheet would take what begins like this for a formula and run it; an apostrophe says that it is text.
const asText = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** What asText has put in front is taken away again. */
export const fromText = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)
