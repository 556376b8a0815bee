import { afterAll, expect, test } from 'bun:test'
import { petShop } from '../../../src/shop/index.ts'
import { chooseTools, createRewriter, toolName } from '../../../src/surfaces/mcp/define-tools.ts'
import { bodyOf, type Ids, newAdministrator, newIds } from '../../contract/example-request.ts'
import { startService, waitForLog } from '../../harness/service.ts'
import { type ClientName, newAgent } from './connect-agent.ts'

// Every tool, once with valid and once with invalid arguments, by the official clients. The contract checks each result against the
// description.

const service = await startService()
const connect = async (client: ClientName) => ({ client, agent: await newAgent(service, { preset: 'admin' }, client) })
const agents = [await connect('2.x by revision 2026-07-28'), await connect('1.x')] as const
afterAll(async () => {
  for (const { agent } of agents) await agent[Symbol.asyncDispose]()
  await service.stop()
})
const api = await newAdministrator(service)
const operations = service.contract.operations()
const { tools } = await agents[0].agent.client.listTools()
const cases = agents.flatMap((connected) => tools.map((tool) => ({ ...tool, ...connected })))
const byId = new Map(operations.map((operation) => [operation.id, operation]))
const byTool = new Map(petShop.operations.map((operation) => [toolName(operation), byId.get(operation.id)]))
const operationOf = (name: string) => byTool.get(name) as (typeof operations)[number]

/** The arguments for an operation: its ids and its example body. */
function validArguments(name: string, ids: Ids): Record<string, unknown> {
  const operation = operationOf(name)
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => [id, ids[id]])
  const body = bodyOf(operation, ids)
  return { ...Object.fromEntries(inPath), ...(Array.isArray(body) ? { items: body } : body) }
}

/** A result as HTTP would return it. */
function toBody(name: string, { etag, items, done, ...rest }: Record<string, unknown>): unknown {
  const [status = ''] = Object.keys(operationOf(name).spec.responses)
  if (status === '204') return undefined
  return (
    items ?? (operationOf(name).spec.responses[status].headers.ETag ? rest : { ...rest, ...(etag ? { etag } : {}) })
  )
}

test('a tool requires what its operation requires: ids, and the fields of a body that must be sent', () => {
  const requiredOf = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required]))
  expect(requiredOf).toMatchObject({
    adjust_inventory: ['petId', 'delta'],
    create_pets: ['items'],
    set_inventory_items: ['items'],
    create_webhook: ['url', 'events'],
    update_pet: ['petId'],
    place_order: ['petId'],
    get_pet: ['petId'],
  })
  expect(requiredOf.list_pets).toBeUndefined()
})

const shared = await newIds(api)

test.each(cases)('$name works with its example, by $client', async ({ agent, name, annotations }) => {
  const isOnlyAdded = annotations?.readOnlyHint || !operationOf(name).path.includes('{')
  const ids = isOnlyAdded ? shared : await newIds(api)
  if (name === 'delete_pet') await api.delete(`/store/orders/${ids.orderId}`)
  if (name === 'place_order') await api.put(`/store/inventory/${ids.petId}`, { quantity: 100 })
  if (/events/.test(name)) await waitForLog(service.context.db)
  const given = validArguments(name, name === 'delete_category' ? { ...ids, categoryId: await api.newCategory() } : ids)
  // An agent may use only its own key's orders and webhooks; with these scopes it may see those of others.
  const own = await agentsOwn(agent.secret, name)
  const { isError, body } = await agent.call(name, { ...given, ...own })
  expect({ isError, body }).toMatchObject({ isError: false })
  const response = toBody(name, body)
  if (response !== undefined) service.contract.checkSuccess(operationOf(name).id, response)
})

/** Ids of things that belong to the agent's key, where the operation needs such. */
async function agentsOwn(secret: string, name: string): Promise<Record<string, unknown>> {
  if (!operationOf(name).path.includes('{webhookId}')) return {}
  const owner = service.as(secret)
  const { body: there } = await owner.get('/webhooks?limit=100')
  if (there.length >= 15) await owner.delete(`/webhooks/${there[0].id}`)
  const { body: webhook } = await owner.post('/webhooks', { url: 'https://shop.example/hooks', events: ['key.*'] })
  const { body: delivery } = await owner.post(`/webhooks/${webhook.id}/ping`)
  const isBelow = operationOf(name).path.includes('{deliveryId}')
  return { webhookId: webhook.id, ...(isBelow && { deliveryId: delivery.id }) }
}

test.each(cases)('$name rejects wrong arguments, and says where, by $client', async ({ agent, name, inputSchema }) => {
  const [first] = inputSchema.required ?? []
  const wrong = first === undefined ? {} : { [first]: { not: 'valid' } }
  const { isError, body } = await agent.call(name, { typo: 1, ...wrong })
  expect(isError).toBe(true)
  expect(body).toMatchObject({ code: 'validation_failed', status: 400, requestId: expect.any(String) })
  expect(body.advice).toContain('`errors`')
  expect(body.message).not.toMatch(/\b(body|query|path) \//)
  const paths = body.errors.map(({ path }: { path: string }) => path)
  expect(paths).toContain('/typo')
  if (first !== undefined) expect(paths).toContain(`/${first}`)
})

test('each operation is a tool, unless it is deprecated, a stream, or covered by another tool', () => {
  const all = petShop.routes({} as never)
  const ids = all.map(({ operation }) => operation.id)
  const left = ids.filter((id) => !chooseTools(all).some(({ operation }) => operation.id === id))
  expect(left.toSorted()).toEqual([
    'createPet',
    'getPet',
    'listPets',
    'replaceCategory',
    'replacePet',
    'setInventoryItem',
    'streamEvents',
  ])
  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    chooseTools(all)
      .map(({ operation }) => toolName(operation))
      .toSorted(),
  )
})

test('no argument of a tool can be mistaken for another', () => {
  for (const { operation } of chooseTools(petShop.routes({} as never))) {
    const { spec, exampleBody } = operations.find(({ id }) => id === operation.id) ?? {}
    const names = [
      ...spec.parameters.map(({ name }: { name: string }) => name),
      ...(Array.isArray(exampleBody) ? ['items'] : Object.keys(exampleBody ?? {})),
    ]
    expect(new Set(names).size).toBe(names.length)
  }
})

test('hints follow from the definition', () => {
  // With the defaults of the protocol, which are left out.
  const hintsOf = (name: string) => ({
    ...(!name.startsWith('list') && { idempotentHint: false, openWorldHint: true }),
    ...tools.find((tool) => tool.name === name)?.annotations,
  })
  const hints = (destructiveHint: boolean, idempotentHint: boolean, openWorldHint: boolean) => ({
    destructiveHint,
    idempotentHint,
    openWorldHint,
  })
  expect(hintsOf('list_orders')).toEqual({ readOnlyHint: true, openWorldHint: false })
  expect(hintsOf('place_order')).toEqual(hints(false, false, false))
  expect(hintsOf('update_order')).toEqual(hints(true, true, false))
  expect(hintsOf('cancel_order')).toEqual(hints(true, true, false))
  expect(hintsOf('rotate_key')).toEqual(hints(true, false, false))
  for (const name of ['ping_webhook', 'redeliver_event', 'replay_events'])
    expect(hintsOf(name)).toEqual(hints(false, false, true))
})

test('no tool speaks of HTTP headers or methods', () => {
  for (const { description = '', inputSchema } of tools) {
    const text = description + JSON.stringify(inputSchema)
    expect(text).not.toMatch(/`(Link|ETag|If-Match|Idempotency-Key|Retry-After)`|\b(GET|POST|PUT|PATCH|DELETE) \//)
  }
  const rewrite = createRewriter(new Map())
  for (const { advice } of petShop.errors) {
    expect(rewrite(advice)).not.toMatch(/\b(ETag|If-Match|Idempotency-Key|Retry-After)\b/)
  }
})

test('a destructive tool says what it does and how to protect what was not seen', () => {
  const { description, inputSchema } = tools.find(({ name }) => name === 'cancel_order') ?? {}
  expect(description).toContain('returns its quantity to stock')
  expect(inputSchema?.properties?.ifMatch).toMatchObject({ description: expect.stringContaining('`get_order`') })
  const instructions = agents[0].agent.client.getInstructions()
  expect(instructions).toContain('`ifMatch`')
})
