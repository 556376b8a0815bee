import { createError } from '../src/error-kinds.ts'
import type { Code } from '../src/errors.ts'
import type { Description, Operation } from './description.ts'

/** Errors of every call: PetStoreError documents them. */
const generalStatuses = new Set([401, 403, 406, 413, 414, 415, 429, 431, 500, 503])
const generalCodes = new Set(['validation_failed', 'malformed_json'])

/** A source of the SDK, with the errors of each method in its comment. A method without a comment gets the operation's summary. */
export function withErrors(source: string, { operations }: Description): string {
  return operations.reduce((text, operation) => {
    const [method = '', owner = ''] = operation['x-sdk-call'].split('.').toReversed()
    return text.replace(classPattern(owner), (whole) =>
      whole.replace(methodPattern(method), (_, comment: string | undefined, start: string) =>
        commentOf(comment ?? '', operation).concat(start),
      ),
    )
  }, source)
}

/** `store.orders.place` is the method `place` of the class Orders. */
const classPattern = (owner: string): RegExp =>
  new RegExp(`^export class ${owner.charAt(0).toUpperCase()}${owner.slice(1)} \\{$[\\s\\S]*?^\\}$`, 'm')

const methodPattern = (name: string): RegExp =>
  new RegExp(`^( {2}/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?( {2}${name}\\()`, 'm')

function commentOf(before: string, operation: Operation): string {
  const lines = before
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\*\*|\*\/|\*)?\s*|\s*(\*\/)?$/g, ''))
    .filter((line) => line !== '' && !line.startsWith('@throws'))
  const text = lines.filter((line) => !line.startsWith('@'))
  const tags = [...lines.filter((line) => line.startsWith('@')), ...throwsOf(operation)]
  const said = text.length > 0 ? text : [`${operation.summary}.`]
  return ['/**', ...[...said, '', ...tags].map((line) => ` * ${line}`.trimEnd()), ' */']
    .map((line) => `  ${line}\n`)
    .join('')
}

/** By class, in the order of the statuses. */
function throwsOf({ errors, 'x-required-scope': scope, 'x-alternative-scope': other }: Operation): string[] {
  const own = errors.filter(({ code, status }) => !generalStatuses.has(status) && !generalCodes.has(code))
  const byClass = Map.groupBy(own, (error) => createError({ ...error, code: error.code as Code, message: '' }).name)
  const lines = [...byClass].map(([name, kinds]) => `${name} ${kinds.map(({ code }) => `\`${code}\``).join(', ')}`)
  const scopes = [scope, other].filter((each) => each !== undefined).map((each) => `\`${each}\``)
  const why = scopes.length > 0 ? `without the scope ${scopes.join(' or ')}` : 'if the key may not do this'
  const denied = errors.some(({ status }) => status === 403) ? [`PermissionDeniedError ${why}`] : []
  return [...lines, ...denied, 'PetStoreError for the errors of every call'].map((line) => `@throws ${line}`)
}
