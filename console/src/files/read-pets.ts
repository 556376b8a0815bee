import { fromText, parseCsv } from './csv.ts'

/** A line of a file of pets. The category is named by its id or, for people, by its name. */
export interface PetLine {
  readonly line: number
  readonly pet: { name?: unknown; categoryId?: unknown; status?: unknown; category?: unknown }
}

export interface RefusedLine {
  readonly line: number
  readonly why: string
}

interface Read {
  readonly lines: readonly PetLine[]
  readonly refused: readonly RefusedLine[]
}

const columns = ['name', 'categoryId', 'category', 'status'] as const
/** What an export has besides; an import leaves it out. */
const ignored = new Set(['id', 'stock'])

/** Reads NDJSON when the first line is an object, otherwise CSV with a line of names. */
export const readPets = (text: string): Read => (text.trimStart().startsWith('{') ? readNdjson(text) : readCsv(text))

function readNdjson(text: string): Read {
  const lines: PetLine[] = []
  const refused: RefusedLine[] = []
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue
    try {
      const value = JSON.parse(content) as unknown
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('is not an object')
      const pet = Object.fromEntries(Object.entries(value).filter(([name]) => !ignored.has(name)))
      lines.push({ line: index + 1, pet })
    } catch (error) {
      refused.push({ line: index + 1, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { lines, refused }
}

function readCsv(text: string): Read {
  const [head, ...rows] = parseCsv(text)
  const names = head?.cells.map((name) => name.trim()) ?? []
  const unknown = names.filter((name) => !columns.includes(name as never) && !ignored.has(name))
  if (!names.includes('name') || unknown.length > 0) {
    const why = unknown.length > 0 ? `there is no column ${unknown.join(', ')}` : 'the first line must name the columns'
    return { lines: [], refused: [{ line: 1, why: `${why}; possible are ${columns.join(', ')}` }] }
  }
  const lines: PetLine[] = []
  const refused: RefusedLine[] = []
  for (const { line, cells } of rows) {
    if (cells.length !== names.length) {
      refused.push({ line, why: `has ${cells.length} cells, the first line ${names.length}` })
      continue
    }
    const filled = names.flatMap((name, index) => {
      const cell = fromText(cells[index] ?? '')
      return cell === '' || ignored.has(name) ? [] : [[name, cell]]
    })
    const pet = Object.fromEntries(filled) as PetLine['pet']
    lines.push({ line, pet: { ...pet, ...(pet.categoryId !== undefined && { categoryId: numberIn(pet.categoryId) }) } })
  }
  return { lines, refused }
}

/** A cell is text; what is no number stays as it is, and the service says what is wrong with it. */
const numberIn = (cell: unknown): unknown => (/^\d+$/.test(String(cell)) ? Number(cell) : cell)
