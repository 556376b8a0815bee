/** The text after the `?`. The URL is not parsed: it contains the `Host` header, which may be invalid. */
export function queryText(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Query parameters as an object; a repeated name has a list. */
export function queryOf(url: string): Record<string, string | string[]> {
  // No prototype, so that a parameter named __proto__ is seen and refused like any other.
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

/** Whether the text needs no decoding. Most queries need none, and skipping it is several times faster. */
export const isPlain = (text: string): boolean => /^[\w=&.-]*$/.test(text)

function add(values: Record<string, string | string[]>, name: string, value: string): void {
  const before = values[name]
  if (Array.isArray(before)) before.push(value)
  else values[name] = before === undefined ? value : [before, value]
}
