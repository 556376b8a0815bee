/** What follows the `?`. Not read as a URL, which it need not be: it holds whatever the header `Host` does. */
export function queryText(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Query parameters as an object; a name given several times has a list. */
export function queryOf(url: string): Record<string, string | string[]> {
  // Without a prototype: a parameter called __proto__ must be seen and refused like any other.
  const values: Record<string, string | string[]> = Object.create(null)
  const text = queryText(url)
  if (isPlain(text)) {
    for (const pair of text.split('&')) {
      const end = pair.indexOf('=')
      if (end >= 0) add(values, pair.slice(0, end), pair.slice(end + 1))
      else if (pair !== '') add(values, pair, '')
    }
  } else {
    for (const [name, value] of new URLSearchParams(text)) add(values, name, value)
  }
  return values
}

/** Whether it says what it means without being decoded. Most queries do, and are then read and written in a fraction of the time. */
export const isPlain = (text: string): boolean => /^[\w=&.-]*$/.test(text)

function add(values: Record<string, string | string[]>, name: string, value: string): void {
  const before = values[name]
  if (Array.isArray(before)) before.push(value)
  else values[name] = before === undefined ? value : [before, value]
}
