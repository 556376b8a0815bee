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
export function acceptsAnswers(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === '*/*' || accept === json || accept.trim() === '') return true
  const wanted = ranges(accept)
  return [...types, problem].some((type) => qualityOf(wanted, type) > 0)
}

export function prefersProblem(accept: string | undefined): boolean {
  if (!accept?.includes('problem+json')) return false
  const wanted = ranges(accept)
  return qualityOf(wanted, problem) > 0 && qualityOf(wanted, problem) >= qualityOf(wanted, json)
}

/** How much a type is wanted that is asked for by name. */
const named = (accept: string, type: string): number =>
  ranges(accept).find((range) => range.type === type)?.quality ?? 0

/** Whether a program asks: JSON is wanted by name, and more than HTML. */
export const prefersJson = (accept: string | null): boolean =>
  accept?.includes(json) === true && named(accept, json) > named(accept, 'text/html')

/** Whether a browser asks: HTML is wanted by name, and nothing that programs read is wanted more. */
export const prefersHtml = (accept: string | null): boolean =>
  accept?.includes('text/html') === true &&
  named(accept, 'text/html') > 0 &&
  named(accept, 'text/html') >= named(accept, json)

/** Whether an agent asks: Markdown is wanted by name, and more than HTML. */
export const prefersMarkdown = (accept: string | null): boolean =>
  accept?.includes('text/markdown') === true && named(accept, 'text/markdown') > named(accept, 'text/html')

export const acceptsEncoding = (acceptEncoding: string | null, encoding: string): boolean =>
  ranges(acceptEncoding ?? '').some(({ type, quality }) => type === encoding && quality > 0)
