import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'
import { newAgent } from './connect-agent.ts'

// Arguments that become parts of the path or headers.

const service = await startService()
afterAll(() => service.stop())
const agent = await newAgent(service, { preset: 'admin' })
afterAll(() => agent.client.close())

const { body: category } = await agent.call('create_category', { name: 'Newts' })

test.each([
  ['a list of one id', [category.id]],
  ['null', null],
  ['true', true],
  ['an object', { toString: 'x', valueOf: category.id }],
  ['an empty list', []],
])('%s is no id', async (_, categoryId) => {
  const { isError, body } = await agent.call('get_category', { categoryId })
  expect({ isError, body }).toMatchObject({ isError: true, body: { code: 'validation_failed', status: 400 } })
  expect(body.errors).toMatchObject([{ path: '/categoryId' }])
})

test('an idempotencyKey or ifMatch of null counts as absent', async () => {
  const name = { name: 'Twice', idempotencyKey: null }
  const first = await agent.call('create_category', name)
  const second = await agent.call('create_category', name)
  expect([first.isError, second.isError]).toEqual([false, false])
  expect(second.body.id).not.toBe(first.body.id)
  const change = { categoryId: first.body.id, name: 'Once', ifMatch: null }
  expect(await agent.call('update_category', change)).toMatchObject({ isError: false, body: { name: 'Once' } })
})

test('a retry with the same idempotencyKey may name its arguments in any order, also those within a list', async () => {
  const pet = { name: 'Newt', categoryId: category.id }
  const first = await agent.call('create_pets', { items: [pet, { ...pet, name: 'Eft' }], idempotencyKey: 'newts' })
  const reordered = ['Newt', 'Eft'].map((name) => ({ categoryId: category.id, name }))
  const again = await agent.call('create_pets', { idempotencyKey: 'newts', items: reordered })
  expect(again).toMatchObject({ isError: false, body: first.body })
  const otherList = await agent.call('create_pets', { items: reordered.toReversed(), idempotencyKey: 'newts' })
  expect(otherList).toMatchObject({ isError: true, body: { code: 'idempotency_key_reused' } })
})

test.each([[{}], [['*']], [7], [false]])('an idempotencyKey or ifMatch of %j is a validation error', async (value) => {
  const created = await agent.call('create_category', { name: 'Never', idempotencyKey: value })
  expect(created).toMatchObject({ isError: true, body: { code: 'validation_failed' } })
  expect(created.body.errors).toEqual([{ path: '/idempotencyKey', message: 'must be text' }])
  const changed = await agent.call('update_category', { categoryId: category.id, name: 'Never', ifMatch: value })
  expect(changed).toMatchObject({ isError: true, body: { code: 'validation_failed' } })
  expect(changed.body.errors).toEqual([{ path: '/ifMatch', message: 'must be text' }])
  expect((await agent.call('list_categories', { q: 'Never' })).body.items).toEqual([])
})
