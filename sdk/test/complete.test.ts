import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withErrors } from '../generate/comments.ts'
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

test('every type has its name (if not: npm run openapi)', () => {
  expect(read('src/names.ts')).toBe(names(description))
})

const sources = readdirSync(join(import.meta.dir, '../src')).filter((name) => name.endsWith('.ts'))

test('every method has a comment with its errors (if not: npm run openapi)', () => {
  for (const name of sources) expect(read(`src/${name}`)).toBe(withErrors(read(`src/${name}`), description))
  const text = sources.map((name) => read(`src/${name}`)).join('')
  expect(text.match(/@throws PetStoreError/g)).toHaveLength(description.operations.length)
  for (const { errors, 'x-sdk-call': call } of description.operations) {
    const own = errors.filter(({ status }) => [404, 409, 410, 412, 422].includes(status)).map(({ code }) => code)
    const comment = commentOf(call)
    expect({ call, missing: own.filter((code) => !comment.includes(`\`${code}\``)) }).toEqual({ call, missing: [] })
    const canBeDenied = errors.some(({ status }) => status === 403)
    expect({ call, denied: comment.includes('PermissionDeniedError') }).toEqual({ call, denied: canBeDenied })
  }
})

/** The comment of a method, found without the generator. */
function commentOf(call: string): string {
  const [method = '', owner = ''] = call.split('.').toReversed()
  const source = sources
    .map((name) => read(`src/${name}`))
    .find((text) => new RegExp(`class ${owner} `, 'i').test(text))
  const [, body = ''] = source?.split(new RegExp(`class ${owner} `, 'i')) ?? []
  return body.split(`\n  ${method}(`, 1)[0]?.split('/**').at(-1) ?? ''
}

test('each query of an operation is the parameter of its method, by name', () => {
  const methods = sources.map((name) => read(`src/${name}`)).join('\n')
  const queries = [...names(description).matchAll(/interface (\w+Query) /g)].map(([, name = '']) => name)
  expect(queries.length).toBeGreaterThan(10)
  expect(queries.filter((name) => !methods.includes(`query: ${name}`))).toEqual([])
})
