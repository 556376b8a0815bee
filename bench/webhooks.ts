// How fast one node delivers to a receiver that responds immediately, and how long events take to arrive beside twenty webhooks of
// another key whose receiver responds after 14 seconds. On SQLite, or on the empty database in DATABASE_URL.
// Run: npm run bench:webhooks
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { runService } from '../server/test/harness/run/run-service.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { processorSeconds } from './load.ts'
import { median, metOr } from './report.ts'

const events = 3_000
const perSecondMin = 300
const delayMsMax = 1_000
const slowMs = 14_000

const scratch = newDirectory()
const admin = newSecret()
const node = runService({
  env: {
    DATABASE_URL: process.env.DATABASE_URL ?? `sqlite:${join(scratch.path, 'petstore.db')}`,
    ADMIN_API_KEY: admin,
    SAMPLE_DATA: 'false',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  },
})
const arrivals: { at: number; name: string }[] = []
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 30,
  async fetch(request) {
    const event = (await request.json()) as { data: { name: string } }
    if (new URL(request.url).pathname === '/slow') await Bun.sleep(slowMs)
    else arrivals.push({ at: performance.now(), name: event.data.name })
    return new Response(null, { status: 204 })
  },
})
const say = (text: string) => process.stdout.write(`${text}\n`)
const address = `http://127.0.0.1:${receiver.port}`

// biome-ignore lint/suspicious/noExplicitAny: an answer as it is
async function send(method: string, path: string, body: unknown, key = admin): Promise<any> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const response = await fetch(node.url + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return response.json()
}

async function arrived(count: number): Promise<void> {
  while (arrivals.length < count) await Bun.sleep(20)
}

try {
  await node.ready
  const from = new Date(Date.now() - 1_000).toISOString()
  const category = await send('POST', '/categories', { name: 'Dogs' })
  const batch = Array.from({ length: 100 }, () => ({ name: 'Rex', categoryId: category.id }))
  for (let made = 0; made < events; made += batch.length) await send('POST', '/pets/batch', batch)
  const webhook = await send('POST', '/webhooks', { url: address, events: ['pet.created'] })
  const usedBefore = processorSeconds(node.pid) ?? Number.NaN
  let after: string | undefined
  do {
    const body = { from, ...(after !== undefined && { after }) }
    const { next } = (await send('POST', `/webhooks/${webhook.id}/replay`, body)) as { next?: string }
    after = next
  } while (after !== undefined)
  await arrived(events)
  const used = (processorSeconds(node.pid) ?? Number.NaN) - usedBefore
  const [first, last] = [arrivals[0]?.at ?? 0, arrivals.at(-1)?.at ?? 0]
  const perSecond = (arrivals.length / (last - first)) * 1000
  const perProcessorSecond = events / used
  say(`drained ${events} deliveries: ${perSecond.toFixed(0)} a second,`)
  say(
    `${perProcessorSecond.toFixed(0)} a second of the node's processor time (at least ${perSecondMin}: ${metOr(perProcessorSecond >= perSecondMin)})`,
  )

  const limits = { perMinute: 100_000, perDay: 1_000_000 }
  const hoarder = await send('POST', '/keys', { name: 'Slow', plan: 'enterprise', limits, preset: 'client' })
  for (let count = 0; count < 20; count++) {
    const slow = { url: `${address}/slow`, events: ['category.created'] }
    await send('POST', '/webhooks', slow, hoarder.secret)
  }
  await send('POST', '/webhooks', { url: address, events: ['category.created'] })
  const delays: number[] = []
  for (let count = 0; count < 100; count++) {
    const name = `Category ${count}`
    await send('POST', '/categories', { name })
    const placedAt = performance.now()
    await arrived(events + count + 1)
    const { at = 0 } = arrivals.find((each) => each.name === name) ?? {}
    delays.push(Math.max(0, at - placedAt))
    await Bun.sleep(100)
  }
  const longest = Math.max(...delays)
  say(
    `beside 20 slow webhooks: ${median(delays).toFixed(0)} ms after the answer, ${longest.toFixed(0)} ms at most (at most ${delayMsMax}: ${metOr(longest <= delayMsMax)})`,
  )
} finally {
  await node.kill('SIGTERM')
  receiver.stop(true)
  scratch.remove()
}
