// What a tool call costs beside its plain HTTP request: CPU time of the same server process, both in turn in every round.
// Run: npm run bench:agents; BENCH_ROUNDS and BENCH_SECONDS make it shorter or longer.
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { load, setup, type Target } from './load.ts'
import { startService } from './servers.ts'
import { rounds, say, seconds, warmUpSeconds } from './settings.ts'
import { makeShop } from './shop.ts'

const goal = 2.5
using directory = newDirectory()
const databaseUrl = `sqlite:${join(directory.path, 'petstore.db')}`
const secret = newSecret()
await makeShop(databaseUrl, secret, 100)
const server = await startService(databaseUrl)
const json = { 'Content-Type': 'application/json' }
const headers = { 'X-API-Key': secret }
const petId = 7

const revisions = ['2026-07-28', '2025-11-25'] as const

function toolCall(revision: string, name: string, given: object): Target {
  const [current] = revisions
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: given, ...(revision === current && { _meta: meta }) }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const protocol = {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revision,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  }
  return { server, path: '/mcp', headers: { ...headers, ...json, ...protocol }, body }
}

const order = { petId, quantity: 1 }
const works: { name: string; plain: Target; tool: string; given: object }[] = [
  {
    name: 'profile by id',
    plain: { server, path: `/pets/${petId}/profile`, headers },
    tool: 'get_pet_profile',
    given: { petId },
  },
  {
    name: 'page of 20 profiles',
    plain: { server, path: '/pets/profiles?limit=20', headers },
    tool: 'list_profiles',
    given: { limit: 20 },
  },
  {
    name: 'order',
    plain: { server, path: '/store/orders', headers: { ...headers, ...json }, body: JSON.stringify(order) },
    tool: 'place_order',
    given: order,
  },
]

/** CPU time per request in microseconds. Fails if a response was not a success. */
async function measure(target: Target, duration: number): Promise<number> {
  const { cpuMicroseconds = Number.NaN, refused } = await load(target, duration)
  if (refused > 0) throw new Error(`${refused} of ${target.path} were refused`)
  return cpuMicroseconds
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

try {
  say(`${rounds} rounds of ${seconds} s, ${setup}. Medians of CPU time; ratios within a round; goal: at most ${goal}.`)
  for (const { name, plain, tool, given } of works) {
    const targets = [plain, ...revisions.map((revision) => toolCall(revision, tool, given))]
    for (const target of targets) await measure(target, warmUpSeconds / 2)
    const measured: number[][] = []
    for (let round = 0; round < rounds; round++) {
      const costs: number[] = []
      for (const target of targets) costs.push(await measure(target, seconds))
      measured.push(costs)
    }
    const cost = (index: number) => median(measured.map((costs) => costs[index] ?? Number.NaN))
    const ratio = (index: number) => median(measured.map(([base = Number.NaN, ...tools]) => (tools[index] ?? 0) / base))
    const parts = revisions.map((revision, index) => {
      const times = ratio(index)
      return `${revision} ${Math.round(cost(index + 1))} µs, ${times.toFixed(2)} times (${times <= goal ? 'met' : 'falls short'})`
    })
    say(`${name}: request ${Math.round(cost(0))} µs; tool call ${parts.join('; ')}`)
  }
} finally {
  await server.stop()
}
