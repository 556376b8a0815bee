// What the caller accepts. Most answers exist as JSON only; errors also as problem details (RFC 9457).

interface Range {
  readonly type: string
  readonly quality: number
}

function ranges(accept: string): Range[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
  })
}

/** The quality the most specific matching range gives to a type, 0 when none matches. */
function qualityOf(accept: Range[], type: string): number {
  for (const candidate of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const range = accept.find((range) => range.type === candidate)
    if (range) return range.quality
  }
  return 0
}

const json = 'application/json'
const problem = 'application/problem+json'

/** Whether the caller takes one of these types, or the errors that come with them. */
export function acceptsAnswers(accept: string | null, types: readonly string[]): boolean {
  if (accept === null || accept === '*/*' || accept === json || accept.trim() === '') return true
  const wanted = ranges(accept)
  return [...types, problem].some((type) => qualityOf(wanted, type) > 0)
}

export function prefersProblem(accept: string | null): boolean {
  if (!accept?.includes('problem+json')) return false
  const wanted = ranges(accept)
  return qualityOf(wanted, problem) > 0 && qualityOf(wanted, problem) >= qualityOf(wanted, json)
}

/** Whether a program asks: JSON is wanted by name, and more than HTML. */
export function prefersJson(accept: string | null): boolean {
  if (!accept?.includes(json)) return false
  const wanted = ranges(accept)
  const named = (type: string) => wanted.find((range) => range.type === type)?.quality ?? 0
  return named(json) > named('text/html')
}

export const acceptsEncoding = (acceptEncoding: string | null, encoding: string): boolean =>
  ranges(acceptEncoding ?? '').some(({ type, quality }) => type === encoding && quality > 0)
