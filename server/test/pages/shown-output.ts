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

/** A value without the parts that may differ. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]))
  }
  if (typeof value === 'number') return 'a number'
  if (typeof value !== 'string') return value
  return kinds.find(([, pattern]) => pattern.test(value))?.[0] ?? (/^[a-z_]+$/.test(value) ? value : 'words')
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

/** Each shown value must be of the same shape; a shown list may be shorter, and a real object may not have more. */
function differs(shown: unknown, real: unknown): string[] {
  const [expected, found] = [shapeOf(shown), shapeOf(real)].map((shape) => JSON.stringify(shape))
  return expected === found ? [] : [`shown ${expected}, came ${found}`]
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return `no JSON: ${output}`
  }
}
