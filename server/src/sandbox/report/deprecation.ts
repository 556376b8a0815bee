import type { Operation } from '../../platform/api/operation.ts'
import { type Entry, isAfter } from './history.ts'
import type { Rule, Violation } from './rule.ts'

export const leavesDeprecated: Rule = {
  id: 'leaves_deprecated',
  title: 'Stops calling what is deprecated',
  advice: 'When a response has a Deprecation header, call the URL in its Link with rel="successor-version" instead.',
  guide: 'deprecation',
  check({ entries, operations }) {
    const called = entries.filter(({ operation }) => operation?.deprecation)
    const successors = new Set(operations.flatMap(({ deprecation }) => deprecation?.successor ?? []))
    const moved = entries.filter(({ operation }) => operation?.method === 'get' && successors.has(operation.path))
    const byOperation = Map.groupBy(called, ({ operation }) => operation as Operation)
    return { seen: called.length + moved.length, violations: [...byOperation].flatMap(goesOn) }
  },
}

/** A client that got no response has not been told. */
const isTold = ({ responseHeaders }: Entry): boolean => responseHeaders.deprecation !== undefined

function goesOn([operation, calls]: [Operation, readonly Entry[]]): Violation[] {
  const first = calls.find(isTold)
  const later = calls.filter((entry) => first && isAfter(entry, first))
  if (!first || later.length === 0) return []
  return [
    {
      requests: [first.id, ...later.map(({ id }) => id)],
      explanation: `${operation.method.toUpperCase()} ${operation.path} was called ${later.length} more time${later.length === 1 ? '' : 's'} after request ${first.id} said that it is deprecated; its successor is ${operation.deprecation?.successor}.`,
    },
  ]
}
