import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'
import { clientNames, newAgent } from './connect-agent.ts'

const service = await startService()
afterAll(() => service.stop())

test.each(clientNames)('only what the key may do is listed, with the client %s', async (name) => {
  const listFor = async (preset: string) => {
    await using agent = await newAgent(service, { preset }, name)
    const { tools } = await agent.client.listTools()
    return tools
  }
  const [reader, client, admin] = await Promise.all(['reader', 'client', 'admin'].map(listFor))
  expect(reader?.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  const names = (tools = reader) => tools?.map(({ name }) => name)
  expect(names(reader)).toContain('list_pets')
  expect(names(reader)).not.toContain('list_orders')
  expect(names(client)).toContain('place_order')
  expect(names(client)).not.toContain('create_pets')
  expect(names(admin)).toContain('create_key')
  expect(names(admin)).not.toContain('stream_events')
})

test('a key with the preset reader can change nothing, even by tools that are not listed for it', async () => {
  await using admin = await newAgent(service, { preset: 'admin' })
  await using reader = await newAgent(service, { preset: 'reader' })
  const { tools } = await admin.client.listTools()
  for (const { name, annotations } of tools) {
    if (annotations?.readOnlyHint) continue
    expect(await reader.call(name)).toMatchObject({ isError: true, body: { code: 'insufficient_scope', status: 403 } })
  }
})

test('an agent cannot see the order of another key', async () => {
  await using alice = await newAgent(service, { preset: 'client' })
  await using bob = await newAgent(service, { preset: 'client' })
  const petId = await service.admin.newPet()
  const { body: order } = await alice.call('place_order', { petId })
  expect((await bob.call('get_order', { orderId: order.id })).body.code).toBe('order_not_found')
  expect((await bob.call('list_orders')).body.items).toEqual([])
})
