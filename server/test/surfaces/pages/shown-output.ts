// Compares a shown output with the real one. IDs, times and the like differ between shops, so only their kind is compared;
// identifiers must match exactly.

const kinds: readonly [kind: string, pattern: RegExp][] = [
  ['a time', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
  ['a request id', /^[0-9a-f]{8}-[0-9a-f-]{27}$/],
  ['a secret', /^ps_[0-9A-Za-z]{36}$/],
  ['a prefix', /^ps_[0-9A-Za-z]{5}$/],
  ['an address', /^https?:\/\/[^/]+\/.*$/],
  ['a tag', /^"[^"]+"$/],
]

/** A value without the parts that may differ. The text of a message is shown as it comes, except for numbers. */
function shapeOf(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return 'a number'
  if (typeof value !== 'string') return value
  if (['message', 'detail'].includes(name)) return value.replace(/\d+/g, '0')
  return kinds.find(([, pattern]) => pattern.test(value))?.[0] ?? (/^[a-z_]+$/.test(value) ? value : 'words')
}

/** Each shown item of a list must look like a real one; an object has the shown fields and no others. */
function isLike(shown: unknown, real: unknown, name?: string): boolean {
  if (Array.isArray(shown)) {
    if (!Array.isArray(real) || (shown.length === 0 && real.length > 0)) return false
    return shown.every((item) => real.some((other) => isLike(item, other)))
  }
  if (typeof shown !== 'object' || shown === null) return shapeOf(shown, name) === shapeOf(real, name)
  if (typeof real !== 'object' || real === null) return false
  const [fields, others] = [new Map(Object.entries(shown)), new Map(Object.entries(real))]
  return fields.size === others.size && [...fields].every(([key, value]) => isLike(value, others.get(key), key))
}

const headerShape = (value: string): string =>
  value
    .trim()
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
    .replace(/cursor=[^&>]*/g, 'cursor')
    .replace(/https?:\/\/[^/]+/g, 'address')
    .replace(/"[\w+/=-]{16,}"/g, 'tag')
    .replace(/evt_\w+/g, 'event')
    .replace(/\d+/g, '0')

/** The parts of the shown output that are missing from the real one. */
export function missingFrom(output: string, { language, text }: { language: string; text: string }): string[] {
  if (language === 'json') return differs(JSON.parse(text), parsed(output))
  if (language === 'text')
    return text
      .trim()
      .split('\n')
      .filter((line) => !output.includes(line))
  const shownBody = text.search(/^[[{]/m)
  const shownHead = shownBody < 0 ? text : text.slice(0, shownBody)
  const [head = '', body = ''] = output.trimStart().split('\r\n\r\n')
  const lines = head.split('\r\n')
  return [
    ...shownHead
      .trim()
      .split('\n')
      .filter((line) => !lines.some((real) => sameLine(line, real))),
    ...(shownBody < 0 ? [] : differs(JSON.parse(text.slice(shownBody)), parsed(body))),
  ]
}

function sameLine(shown: string, real: string): boolean {
  if (shown.startsWith('HTTP/')) return shown === real
  const [name = '', ...value] = shown.split(': ')
  const [realName = '', ...realValue] = real.split(': ')
  return (
    name.toLowerCase() === realName.toLowerCase() && headerShape(value.join(': ')) === headerShape(realValue.join(': '))
  )
}

const differs = (shown: unknown, real: unknown): string[] =>
  isLike(shown, real) ? [] : [`shown ${JSON.stringify(shown)}, came ${JSON.stringify(real)}`]

function parsed(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return `no JSON: ${output}`
  }
}
