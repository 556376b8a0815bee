import { faultsNamedMax } from './sizes.ts'

/** What is wrong at one place of a request. */
export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header'
  /** A JSON pointer into the body, or a slash and the name of the parameter: `/status`, `/status/1` for one of several values. */
  readonly path: string
  readonly message: string
}

/** How many problems there are, and the first of them. */
export function describeFaults(faults: readonly Fault[]): string {
  const [first] = faults
  const unnamed = faults.length - faultsNamedMax
  const more = unnamed > 0 ? ` ${unnamed} more are not listed.` : ''
  const what = faults.length === 1 ? '1 problem' : `${faults.length} problems; first`
  return `${what}: ${first ? describeFault(first) : ''}.${more}`
}

const placeNames = { body: '', query: 'the parameter ', path: 'the parameter ', header: 'the header ' }

/** A fault in words. */
export function describeFault({ in: location, path, message }: Fault): string {
  if (path === '') return `the body ${message}`
  // A top-level field of the body is named; a nested one is given by its JSON pointer.
  const name = `\`${path.lastIndexOf('/') > 0 ? path : path.slice(1)}\``
  const [, unknown] = /^is not a known (\w+)$/.exec(message) ?? []
  return unknown ? `unknown ${unknown} ${name}` : `${placeNames[location]}${name} ${message}`
}
