// What sandboxes cost: creating one, resetting it, moving its clock by a month, a read compared with the same read in the service, and the
// memory of a host with many. npm run bench -- sandbox [start make reset month read]; BENCH_SANDBOXES, BENCH_ROUNDS and BENCH_SECONDS make
// it shorter or longer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { root, runProgram } from '../server/test/harness/run/run-service.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { load, pinned, processorSeconds, setup, type Target } from './load.ts'
import { startService } from './servers.ts'
import { rounds, say, seconds, warmUpSeconds } from './settings.ts'
import { makeShop } from './shop.ts'

const goals = { makeMs: 50, read: 0.9, megabytes: 300, startMs: 1_000, monthMs: 1_000 }
const sandboxes = Number(process.env.BENCH_SANDBOXES ?? 1_000)
const inUse = 20
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const verdict = (isMet: boolean) => (isMet ? 'met' : 'falls short')

interface Sandbox {
  readonly url: string
  readonly apiKey: string
}

using directory = newDirectory()
let hosts = 0

/** A host in its own directory, as `petstore sandbox` runs it. */
async function startHost() {
  const startedAt = performance.now()
  const program = runProgram({
    command: [
      ...pinned(0, ['bun', join(root, 'cli/src/petstore.ts')]),
      ...['sandbox', '--port', '0', '--json', '--directory', join(directory.path, `host-${++hosts}`)],
    ],
    // Logged as the service does, so that a read costs the same.
    env: { LOG_LEVEL: 'info' },
    errorsAre: 'dropped',
    readyWhen: /\n/,
  })
  await program.ready
  const startMs = performance.now() - startedAt
  const { url, sandbox } = JSON.parse(program.output()) as { url: string; sandbox: Sandbox }
  const { pid } = program
  return { url, sandbox, pid, startMs, [Symbol.asyncDispose]: async () => void (await program.kill('SIGKILL')) }
}

const post = async <T>(to: string, body: object, headers: Record<string, string> = {}): Promise<T> => {
  const json = { 'Content-Type': 'application/json', ...headers }
  const response = await fetch(to, { method: 'POST', headers: json, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as T
}
const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

async function measure(target: Target, duration: number): Promise<number> {
  const { cpuMicroseconds = Number.NaN, rejected } = await load(target, duration)
  if (rejected > 0) throw new Error(`${rejected} of ${target.path} were rejected`)
  return cpuMicroseconds
}

/** How long a host takes to print its first sandbox. */
async function start(): Promise<void> {
  const times: number[] = []
  const processor: number[] = []
  for (let round = 0; round < 2 * rounds + 1; round++) {
    await using host = await startHost()
    times.push(host.startMs)
    processor.push((processorSeconds(host.pid) ?? Number.NaN) * 1_000)
  }
  const time = median(times)
  say(
    `start of the host: median ${Math.round(time)} ms, ${Math.round(median(processor))} ms of CPU time; goal: under ${goals.startMs} ms (${verdict(time < goals.startMs)})`,
  )
}

/** The same read in the service and in a sandbox, in turn. */
async function compareReads(): Promise<void> {
  await using host = await startHost()
  const { sandbox } = host
  const secret = newSecret()
  const databaseUrl = `sqlite:${join(directory.path, 'petstore.db')}`
  await makeShop(databaseUrl, secret, 100)
  const service = await startService(databaseUrl)
  const most = 1_000_000_000
  const limits = { perMinute: most, perDay: most }
  const key = { name: 'Bench', plan: 'enterprise', preset: 'staff', limits }
  const asAdmin = { 'X-API-Key': sandbox.apiKey }
  const own = await post<{ secret: string }>(`${sandbox.url}/keys`, key, asAdmin)
  const { port, pathname } = new URL(sandbox.url)
  const path = '/pets/1/profile'
  const targets: Target[] = [
    { server: service, path, headers: { 'X-API-Key': secret } },
    { server: { port: Number(port), pid: host.pid }, path: pathname + path, headers: { 'X-API-Key': own.secret } },
  ]
  try {
    for (const target of targets) await measure(target, warmUpSeconds)
    const costs: number[][] = []
    for (let round = 0; round < rounds; round++) {
      const [inService = 0, inSandbox = 0] = [
        await measure(targets[0] as Target, seconds),
        await measure(targets[1] as Target, seconds),
      ]
      costs.push([inService, inSandbox])
    }
    const ratio = median(costs.map(([inService = 0, inSandbox = 1]) => inService / inSandbox))
    const cost = (index: 0 | 1) => Math.round(median(costs.map((pair) => pair[index] ?? 0)))
    say(
      `read of a profile, CPU time: service ${cost(0)} µs, sandbox ${cost(1)} µs, ${ratio.toFixed(2)} of the speed; goal: ${goals.read} (${verdict(ratio >= goals.read)})`,
    )
  } finally {
    await service.stop()
  }
}

/** Creates sandboxes one after the other, then uses some of them. */
async function makeMany(): Promise<void> {
  await using host = await startHost()
  const made = [host.sandbox]
  const times: number[] = []
  while (made.length < sandboxes) {
    const before = performance.now()
    made.push(await post<Sandbox>(`${host.url}/sandboxes`, {}))
    times.push(performance.now() - before)
  }
  const time = median(times)
  say(
    `making one of ${sandboxes}: median ${time.toFixed(1)} ms; goal: under ${goals.makeMs} ms (${verdict(time < goals.makeMs)})`,
  )
  const used = made.slice(-inUse)
  const until = performance.now() + 65_000
  while (performance.now() < until) {
    await Promise.all(used.map((each) => fetch(`${each.url}/pets`, { headers: { 'X-API-Key': each.apiKey } })))
    await Bun.sleep(100)
  }
  const resident = megabytes(host.pid)
  say(
    `memory with ${sandboxes} sandboxes, ${inUse} in use: ${Math.round(resident)} MB; goal: under ${goals.megabytes} MB (${verdict(resident < goals.megabytes)})`,
  )
}

/** Moves a clock by 30 days, with a delivery that fails each time. */
async function passMonth(): Promise<void> {
  await using host = await startHost()
  const { url, apiKey } = host.sandbox
  const asAdmin = { 'X-API-Key': apiKey }
  // Nothing listens on this port.
  const webhook = { url: 'http://127.0.0.1:1024/', events: ['category.*'] }
  await post(`${url}/webhooks`, webhook, asAdmin)
  await post(`${url}/categories`, { name: 'Owls' }, asAdmin)
  const before = performance.now()
  const moved = await fetch(`${url}/_sandbox/clock`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    // Just under 30 days, so that its deliveries are still kept.
    body: JSON.stringify({ advanceSeconds: (30 * 24 - 1) * 60 * 60 }),
  })
  const time = performance.now() - before
  const { data } = (await (await fetch(`${url}/_sandbox/deliveries`)).json()) as { data: unknown[] }
  say(
    `a month with ${data.length} failed attempts: ${Math.round(time)} ms (${moved.status}); goal: under ${goals.monthMs} ms (${verdict(time < goals.monthMs)})`,
  )
}

const resetsCount = 50

/** Keeps this many cores busy with other work. */
function occupy(cores: number): Disposable {
  const loops = Array.from({ length: cores }, () => Bun.spawn([process.execPath, '-e', 'for (;;);']))
  return { [Symbol.dispose]: () => loops.forEach((loop) => void loop.kill('SIGKILL')) }
}

/** Resets fifty sandboxes one after the other, then all at once, and restores snapshots of them; undisturbed, and with two busy cores. */
async function resetMany(): Promise<void> {
  await using host = await startHost()
  const made: Sandbox[] = []
  while (made.length < resetsCount) made.push(await post<Sandbox>(`${host.url}/sandboxes`, {}))
  const reset = ({ url }: Sandbox) => post(`${url}/_sandbox/reset`, {})
  const restore = ({ url }: Sandbox) => post(`${url}/_sandbox/snapshots/1/restore`, {})
  for (const { url } of made) await post(`${url}/_sandbox/snapshots`, {})
  const medianOf = async (work: (sandbox: Sandbox) => Promise<unknown>) => {
    const times: number[] = []
    for (const sandbox of made) {
      const before = performance.now()
      await work(sandbox)
      times.push(performance.now() - before)
    }
    return median(times)
  }
  const measureResets = async () => {
    const cpuBefore = processorSeconds(host.pid) ?? Number.NaN
    const oneMs = await medianOf(reset)
    const cpuMs = (((processorSeconds(host.pid) ?? Number.NaN) - cpuBefore) * 1_000) / resetsCount
    const before = performance.now()
    await Promise.all(made.map(reset))
    return { oneMs, cpuMs, togetherMs: performance.now() - before }
  }
  await measureResets()
  const alone = await measureResets()
  const restoreMs = await medianOf(restore)
  say(`restoring a snapshot: median ${Math.round(restoreMs)} ms, ${(restoreMs / alone.oneMs).toFixed(2)} of a reset`)
  using _others = occupy(2)
  const beside = await measureResets()
  for (const [name, { oneMs, cpuMs, togetherMs }] of Object.entries({ alone, 'beside two busy cores': beside }))
    say(
      `reset ${name}: median ${Math.round(oneMs)} ms, ${cpuMs.toFixed(1)} ms of CPU time; ${resetsCount} at once ${(togetherMs / resetsCount / oneMs).toFixed(2)} of as many one by one`,
    )
  say(
    `beside two busy cores a reset takes ${(beside.oneMs / alone.oneMs).toFixed(1)} times as long, ${resetsCount} at once ${(beside.togetherMs / alone.togetherMs).toFixed(1)} times`,
  )
}

const parts = { start, make: makeMany, reset: resetMany, month: passMonth, read: compareReads }
const chosen = process.argv.slice(3)
say(`${rounds} rounds of ${seconds} s, ${setup}. Medians.`)
for (const [name, run] of Object.entries(parts)) if (chosen.length === 0 || chosen.includes(name)) await run()
