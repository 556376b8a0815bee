import type { z } from 'zod'
import type { Fault } from './errors.ts'

type FaultPlace = Fault['in']

/** Checks `value` and adds every fault to `faults`. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: FaultPlace,
  faults: Fault[],
): z.output<S> | undefined {
  const quick = schema.safeParse(value)
  if (quick.success) return quick.data
  // Only what is refused is explained: most requests never pay for it.
  const { error } = schema.safeParse(value, { error: (issue) => explain(issue, place) })
  // One fault of a kind and place: a number beyond all bounds breaks those of its type and its own, which come last.
  const named = new Map<string, Fault>()
  for (const issue of error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') {
      const what = place === 'body' ? 'is not a field here' : 'is not a parameter here'
      for (const key of issue.keys) faults.push({ in: place, path: pointer([...issue.path, key]), message: what })
    } else {
      const path = pointer(issue.path)
      named.set(`${issue.code} ${path}`, { in: place, path, message: issue.message })
    }
  }
  faults.push(...named.values())
  return undefined
}

const pointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const kinds: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function explain(issue: z.core.$ZodRawIssue, place: FaultPlace): string | undefined {
  if (Number.isNaN(issue.input)) return 'must be a number that can be kept exactly'
  // A parameter that may be repeated never fails as the list it is, only as one of its items.
  if (Array.isArray(issue.input) && place === 'query') return 'must be given once'
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'too_small':
      return issue.origin === 'array'
        ? `must have at least ${issue.minimum} items`
        : `must be at least ${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${issue.maximum} items`
      return issue.origin === 'string'
        ? `must be at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`
    default:
      return undefined
  }
}
