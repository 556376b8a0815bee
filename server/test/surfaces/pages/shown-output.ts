// Compares a shown output with the real one on a new sample shop. They are the same, except for what no two runs have in common: times,
// secrets, and ids, because the same example in another language runs after it.

const wildcards: readonly [kind: string, pattern: RegExp][] = [
  ['a time', /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*Z/g],
  ['a uuid', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g],
  ['a secret', /\b(ps|whsec)_[\w+/]{5,}=*/g],
  ['a position', /\b(evt|ping)_\w+/g],
  ['a cursor', /cursor=[^&>"\s]*/g],
  ['a tag', /"[\w+/=-]{16,}"/g],
]

const withWildcards = (text: string): string =>
  wildcards.reduce((shown, [kind, pattern]) => shown.replace(pattern, kind), text)

/** What counts or names things that each run adds, and times in seconds. */
const isVarying = (name: string) => /^(id|\w+Id|reset|remaining)$/.test(name)

function isLike(shown: unknown, real: unknown, name = ''): boolean {
  if (typeof shown !== typeof real) return false
  if (typeof shown === 'number' && isVarying(name)) return true
  // The text of an error names ids.
  if (name === 'message' || name === 'detail')
    return String(shown).replace(/\d+/g, '1') === String(real).replace(/\d+/g, '1')
  if (typeof shown === 'string') return withWildcards(shown) === withWildcards(String(real))
  // A long list is shown shortened.
  if (Array.isArray(shown)) {
    if (!Array.isArray(real) || (shown.length === 0 && real.length > 0)) return false
    return shown.every((item, index) => isLike(item, real[index], name))
  }
  if (typeof shown !== 'object' || shown === null || real === null) return shown === real
  const [fields, others] = [Object.entries(shown), Object.keys(real as object)]
  return (
    fields.length === others.length &&
    fields.every(([key, value]) => isLike(value, (real as Record<string, unknown>)[key], isVarying(name) ? name : key))
  )
}

/** Headers that count down during a run, and lengths and ids in URLs. */
const headerShape = (name: string, value: string): string => {
  const shape = withWildcards(value.trim())
  if (/^(x-ratelimit-re|retry-after)/i.test(name)) return shape.replace(/\d+/g, '1')
  if (/^ratelimit$/i.test(name)) return shape.replace(/([rt])=\d+/g, '$1=1')
  return shape.replace(/(?<=\/)\d+/g, '1')
}

/** How a shown output differs from the real one; an empty list if it does not. */
export function differences(output: string, { language, text }: { language: string; text: string }): string[] {
  if (language === 'json') return compare(JSON.parse(text), parsed(output))
  if (language === 'text') return output.startsWith(text) ? [] : [`shown ${text}, came ${output}`]
  const shownBody = text.search(/^[[{]/m)
  const shownHead = shownBody < 0 ? text : text.slice(0, shownBody)
  const [head = '', body = ''] = output.trimStart().split('\r\n\r\n')
  const lines = head.split('\r\n')
  return [
    ...shownHead
      .trim()
      .split('\n')
      .filter((line) => !lines.some((real) => isSameLine(line, real)))
      .map((line) => `${line} is not in ${head}`),
    ...(shownBody < 0 ? [] : compare(JSON.parse(text.slice(shownBody)), parsed(body))),
  ]
}

function isSameLine(shown: string, real: string): boolean {
  if (shown.startsWith('HTTP/')) return shown === real
  const [[name = '', ...value], [realName = '', ...realValue]] = [shown.split(': '), real.split(': ')]
  return (
    name.toLowerCase() === realName.toLowerCase() &&
    headerShape(name, value.join(': ')) === headerShape(name, realValue.join(': '))
  )
}

const compare = (shown: unknown, real: unknown): string[] =>
  isLike(shown, real) ? [] : [`shown ${JSON.stringify(shown)}, came ${JSON.stringify(real)}`]

function parsed(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return `no JSON: ${output}`
  }
}
