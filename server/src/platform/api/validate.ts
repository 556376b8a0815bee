import type { z } from 'zod'
import type { Fault } from './faults.ts'

type FaultLocation = Fault['in']

/** Checks `value` and adds every fault to `faults`. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: FaultLocation,
  faults: Fault[],
): z.output<S> | undefined {
  const quick = schema.safeParse(value)
  if (quick.success) return quick.data
  // Parsed again for messages only if it failed: most requests never pay for them.
  const { error } = schema.safeParse(value, { error: (issue) => explain(issue, location) })
  // One fault per kind and path: a huge number exceeds the bounds of its type and its own, which come last.
  const byPath = new Map<string, Fault>()
  for (const issue of error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') {
      const message = location === 'body' ? 'is not a known field' : 'is not a known parameter'
      for (const key of issue.keys) faults.push({ in: location, path: pointer([...issue.path, key]), message })
    } else {
      const path = pointer(location === 'query' ? parameterPath(issue.path, value) : issue.path)
      byPath.set(`${issue.code} ${path}`, { in: location, path, message: issue.message })
    }
  }
  faults.push(...byPath.values())
  return undefined
}

/** Only one of several values has a position: `status=bogus` is wrong at /status, `status=sold,bogus` at /status/1. */
function parameterPath(path: readonly PropertyKey[], query: unknown): readonly PropertyKey[] {
  const [name = ''] = path
  const given = (query as Readonly<Record<PropertyKey, unknown>>)[name]
  return typeof given === 'string' && !given.includes(',') ? [name] : path
}

const pointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const typeNames: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

function explain(issue: z.core.$ZodRawIssue, location: FaultLocation): string | undefined {
  if (Number.isNaN(issue.input) || typeof issue.input === 'bigint')
    return 'must be a number that can be represented exactly'
  const isListSize = issue.code.startsWith('too_') && 'origin' in issue && issue.origin === 'array'
  // A parameter that may be repeated fails as one of its items, or by how many there are.
  if (Array.isArray(issue.input) && location === 'query' && !isListSize) return 'must be given once'
  if (issue.input === undefined && issue.code.startsWith('invalid')) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`
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
