import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/test/harness/run/run-service.ts'
import { commandsByName } from '../generate/calls.ts'
import { callsText, operationsText, profileText } from '../generate.ts'
import { callsOf, operationIds, operationOf, whyWithoutCommand } from '../src/calls.ts'

const commands = [...commandsByName()]
const read = (path: string) => readFileSync(join(root, 'cli', path), 'utf8')

test('operations.json, CALLS.md and the profile of this service are made from the description (if not: npm run openapi)', async () => {
  expect(read('src/operations.json')).toBe(operationsText())
  expect(read('CALLS.md')).toBe(await callsText())
  expect(read('src/judge/profiles/petstore.yaml')).toBe(profileText())
})

test('every operation has a command, or a reason to have none', () => {
  const called = new Set(commands.flatMap(([, command]) => callsOf(command)))
  expect(operationIds.filter((id) => !called.has(id) && whyWithoutCommand(id) === undefined)).toEqual([])
})

/** Set by the command itself, or by options with another name. */
const setOtherwise: Readonly<Record<string, readonly string[]>> = {
  'webhooks create': ['url'],
  'webhooks update': ['url'],
  'webhooks listen': ['type'],
  'keys create': ['limits'],
  'keys update': ['limits'],
}

test('every input of an operation is an option of its command', () => {
  const lacking = commands.flatMap(([name, command]) => {
    const [id] = callsOf(command)
    if (id === undefined || ['import', 'export', 'login'].includes(name)) return []
    const known = [...command.options.map((option) => option.attributeName()), ...(setOtherwise[name] ?? [])]
    return Object.keys(operationOf(id).inputs)
      .filter((input) => input !== 'cursor' && !known.includes(input))
      .map((input) => `${name}: ${input}`)
  })
  expect(lacking).toEqual([])
})
