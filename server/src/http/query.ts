/** What follows the `?`. Not read as a URL, which it need not be: it holds whatever the header `Host` does. */
export function queryText(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Query parameters as an object; a name given several times has a list. */
export function queryOf(url: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(queryText(url))) {
    const before = Object.hasOwn(values, name) ? values[name] : undefined
    if (Array.isArray(before)) before.push(value)
    else set(values, name, before === undefined ? value : [before, value])
  }
  return values
}

/** Defined, not assigned: a parameter called __proto__ must be seen and refused like any other. */
function set(values: Record<string, string | string[]>, name: string, value: string | string[]): void {
  Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true })
}
