import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callsTable } from '../generate/calls-table.ts'
import { readDescription } from '../generate/description.ts'
import { names } from '../generate/names.ts'
import { PetStore } from '../src/index.ts'

// The SDK has everything that is in the description.

const description = readDescription()
const read = (path: string) => readFileSync(join(import.meta.dir, '..', path), 'utf8')

test('every operation has a call', () => {
  const petstore = new PetStore({ baseUrl: 'https://petstore.example.com' })
  const missing = description.operations
    .map((operation) => operation['x-sdk-call'])
    .filter((call) => {
      const method = call
        .split('.')
        .reduce<unknown>((owner, name) => (owner as Record<string, unknown>)?.[name], petstore)
      return typeof method !== 'function'
    })
  expect(missing).toEqual([])
})

test('the README lists the call of every operation, and every type has its name (if not: npm run openapi)', () => {
  expect(read('README.md')).toContain(callsTable(description))
  expect(read('src/names.ts')).toBe(names(description))
})

test('each query of an operation is the parameter of its method, by name', () => {
  const sources = readdirSync(join(import.meta.dir, '../src')).filter((name) => name.endsWith('.ts'))
  const methods = sources.map((name) => read(`src/${name}`)).join('\n')
  const queries = [...names(description).matchAll(/interface (\w+Query) /g)].map(([, name = '']) => name)
  expect(queries.length).toBeGreaterThan(10)
  expect(queries.filter((name) => !methods.includes(`query: ${name}`))).toEqual([])
})
