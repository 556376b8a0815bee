import { afterAll, describe, expect, test } from 'bun:test'
import { failureOf } from '../../harness/failure-of.ts'
import { startService } from '../../harness/service.ts'
import { clientNames, connectAgent, newAgent } from './connect-agent.ts'

// What a model reads before it calls anything: it must be short, and a tool must be found by the words of the job.

// Sizes count the address of the service, so it is a long one.
const baseUrl = 'https://petstore.internal.a-company-with-a-long-name.example/shops/petstore/api'
const service = await startService({ env: { BASE_URL: baseUrl } })
afterAll(() => service.stop())

const revisions = ['2025-11-25', '2026-07-28'] as const
const envelope = 'io.modelcontextprotocol'

/** What a client of a revision sends besides the method. */
const paramsOf = (revision: (typeof revisions)[number]) =>
  revision === '2025-11-25'
    ? {}
    : {
        _meta: {
          [`${envelope}/protocolVersion`]: revision,
          [`${envelope}/clientInfo`]: { name: 'test', version: '1.0.0' },
          [`${envelope}/clientCapabilities`]: {},
        },
      }

/** The result of a list as it is sent. */
async function listTools(secret: string, query = '', revision: (typeof revisions)[number] = '2025-11-25') {
  const response = await fetch(`${service.url}/mcp${query}`, {
    method: 'POST',
    headers: {
      'X-API-Key': secret,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': revision,
      'Mcp-Method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: paramsOf(revision) }),
  })
  const text = await response.text()
  const message = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text)
  return { status: response.status, bytes: Buffer.byteLength(text), result: message.result, error: message.error }
}

const secretOf = async (preset: string) => (await service.newClient({ preset })).secret ?? ''

describe.each(revisions)('by revision %s', (revision) => {
  test.each([
    ['admin', 36_000],
    ['reader', 10_000],
  ])('the list of tools for the preset %s has at most %d bytes', async (preset, bytesMax) => {
    const { bytes, result } = await listTools(await secretOf(preset), '', revision)
    expect(result.tools.length).toBeGreaterThan(10)
    expect(bytes).toBeLessThanOrEqual(bytesMax)
  })
})

const admin = await secretOf('admin')
const { result: all } = await listTools(admin)
type Tool = { name: string; title: string; description: string }
const tools: readonly Tool[] = all.tools

test('names are unique, and a description begins with what the tool does, not with its title again', () => {
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  for (const { title, description } of tools) {
    expect(description).toMatch(/^[A-Z][a-z]+s /)
    expect(description).not.toStartWith(`${title}.`)
  }
})

/** What people ask for, and the tools that a model needs for it, one for each sentence. */
const jobs: readonly (readonly [sentence: string, tool: string])[][] = [
  [
    ['Which pets do you have in stock?', 'list_pets'],
    ['Place an order for two of the first one.', 'place_order'],
    ['I changed my mind, so cancel that order.', 'cancel_order'],
  ],
  [
    ['Ten hamsters came in today: add them to the stock of that pet.', 'adjust_inventory'],
    ['What was the cause of every change of its stock this week?', 'list_movements'],
    ['Which of the open orders have to go out, and what else needs attention in the shop?', 'get_store_summary'],
  ],
  [
    ['Register a new pet called Bess.', 'create_pets'],
    ['Search for a rabbit.', 'list_pets'],
    ['What is the status of the pet with id 7?', 'get_pet'],
    ['Complete the order of this morning.', 'update_order'],
    ['How much of the quota is left?', 'get_limits'],
  ],
  [
    ['A client says that it is blocked: list the keys that are not revoked.', 'list_keys'],
    ['How many requests did that key send in each hour of the day?', 'get_usage'],
    ['It was our mistake, lift the ban.', 'unban_key'],
  ],
]

/** Words that say nothing about a job. */
const fillers = new Set(
  'a an and at by did do else for from go has have how i in is it its many me my of on one or our out says so that the them this to two was what which with you'.split(
    ' ',
  ),
)
/** The words that matter, without endings: lists, listed and listing are list. */
function wordsIn(text: string): Set<string> {
  const words = (text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => !fillers.has(word))
  return new Set(words.map((word) => word.replace(/(ing|ed|e?s)$/, '')))
}
/** What a model reads first. */
const wordsOf = new Map(
  tools.map(({ name, description }) => [
    name,
    wordsIn(`${name.replaceAll('_', ' ')} ${description.split('. ', 1)[0]}`),
  ]),
)
/** A word says more the fewer tools have it. */
const weightOf = (word: string): number =>
  Math.log(tools.length / [...wordsOf.values()].filter((words) => words.has(word)).length)

test.each(jobs.flat())('the words of "%s" lead to %s', (sentence, wanted) => {
  const scores = [...wordsOf].map(([name, words]) => {
    const found = [...wordsIn(sentence)].filter((word) => words.has(word))
    return { name, score: found.reduce((sum, word) => sum + weightOf(word), 0) }
  })
  const best = Math.max(...scores.map(({ score }) => score))
  expect(best).toBeGreaterThan(0)
  expect(scores.filter(({ score }) => score === best).map(({ name }) => name)).toContain(wanted)
})

test.each(clientNames)('a toolset has only its tools, with the client %s', async (name) => {
  const place = { url: service.url, secret: admin }
  await using agent = await connectAgent({ ...place, query: '?tools=orders,stock' }, name)
  const { tools: listed } = await agent.client.listTools()
  expect(listed.map((tool) => tool.name).toSorted()).toEqual([
    'adjust_inventory',
    'cancel_order',
    'delete_inventory_item',
    'get_inventory_item',
    'get_order',
    'get_store_settings',
    'get_store_summary',
    'list_inventory',
    'list_movements',
    'list_order_history',
    'list_orders',
    'place_order',
    'set_inventory_items',
    'update_order',
    'update_store_settings',
  ])
  const petId = await service.admin.newPet(2)
  const placed = await agent.call('place_order', { petId })
  expect(placed.isError).toBe(false)
  const other = await failureOf(agent.client.callTool({ name: 'list_pets', arguments: {} }))
  expect(String(other)).toContain('There is no tool')
  const { resourceTemplates } = await agent.client.listResourceTemplates()
  expect(resourceTemplates.map((template) => template.name)).toEqual(['get_order', 'get_inventory_item'])
  // Every prompt needs a tool of another toolset.
  expect((await agent.client.listPrompts()).prompts).toEqual([])
})

test('a key that may not use a tool does not get it by naming its toolset', async () => {
  const { result } = await listTools(await secretOf('reader'), '?tools=orders&tools=stock')
  expect(result.tools.map(({ name }: Tool) => name)).toEqual([
    'list_inventory',
    'get_inventory_item',
    'list_movements',
    'get_store_settings',
  ])
})

test('an unknown toolset is rejected, with the names of those that exist', async () => {
  const { status, error } = await listTools(admin, '?tools=orders,fish')
  expect(status).toBe(400)
  expect(error.data).toMatchObject({ code: 'validation_failed', status: 400 })
  const names = ['pets', 'categories', 'orders', 'stock', 'keys', 'usage', 'events', 'webhooks']
  expect(error.data.errors).toEqual([{ path: '/tools/1', message: `must be one of ${names.join(', ')}` }])
  expect((await listTools(admin, '?tools=')).status).toBe(400)
  const guide = await (await fetch(`${service.url}/docs/guides/agents.md`)).text()
  expect(guide).toContain(names.map((name) => `\`${name}\``).join(', '))
})

test('an agent whose list has no schemas of results gets structured results all the same', async () => {
  await using agent = await newAgent(service, { preset: 'admin' })
  const { tools: listed } = await agent.client.listTools()
  expect(listed.every(({ outputSchema }) => outputSchema === undefined)).toBe(true)
  const { structuredContent } = await agent.client.callTool({ name: 'list_pets', arguments: { limit: 1 } })
  expect(Object.keys(structuredContent ?? {})).toContain('items')
})
