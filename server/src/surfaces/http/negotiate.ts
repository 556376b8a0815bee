// Content negotiation. Most answers exist only as JSON; errors also as problem details (RFC 9457).

interface Range {
  readonly type: string
  readonly quality: number
}

function parseAccept(accept: string): Range[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
  })
}

/** The quality that the most specific matching range gives a type, 0 if none matches. */
function qualityOf(accept: Range[], type: string): number {
  for (const candidate of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const range = accept.find((range) => range.type === candidate)
    if (range) return range.quality
  }
  return 0
}

const json = 'application/json'
const problem = 'application/problem+json'

/** Whether the client accepts this type or, instead of JSON, problem details. */
export function acceptsAnswer(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === '*/*' || accept === type || accept.trim() === '') return true
  const wanted = parseAccept(accept)
  return qualityOf(wanted, type) > 0 || (type === json && qualityOf(wanted, problem) > 0)
}

export function prefersProblem(accept: string | undefined): boolean {
  if (!accept?.includes('problem+json')) return false
  const wanted = parseAccept(accept)
  return qualityOf(wanted, problem) > 0 && qualityOf(wanted, problem) >= qualityOf(wanted, json)
}

/** The quality of a type that is listed by name, 0 if it is not. */
const qualityByName = (accept: string, type: string): number =>
  parseAccept(accept).find((range) => range.type === type)?.quality ?? 0

/** Probably a program: names JSON, and prefers it to HTML. */
export const prefersJson = (accept: string | null): boolean =>
  accept?.includes(json) === true && qualityByName(accept, json) > qualityByName(accept, 'text/html')

/** Probably a browser: names HTML, and does not prefer JSON. */
export const prefersHtml = (accept: string | null): boolean =>
  accept?.includes('text/html') === true &&
  qualityByName(accept, 'text/html') > 0 &&
  qualityByName(accept, 'text/html') >= qualityByName(accept, json)

/** Probably an agent: names Markdown, and prefers it to HTML. */
export const prefersMarkdown = (accept: string | null): boolean =>
  accept?.includes('text/markdown') === true &&
  qualityByName(accept, 'text/markdown') > qualityByName(accept, 'text/html')

export const acceptsEncoding = (acceptEncoding: string | null, encoding: string): boolean =>
  parseAccept(acceptEncoding ?? '').some(({ type, quality }) => type === encoding && quality > 0)
