// This service beside bare Bun.serve, a bare bun:sqlite loop and a server with one commit per order, interleaved in one
// run: every round measures every subject once, and what disturbs the machine disturbs them all.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connections, load, type Measured, output, pinned, setup, type Target } from './load.ts'
import { report } from './report.ts'
import { startBare, startOneCommit, startService } from './servers.ts'

const rounds = Math.max(5, Number(process.env.BENCH_ROUNDS ?? 5))
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const warmUpSeconds = 2
const say = (text: string) => process.stdout.write(`${text}\n`)

const scratch = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const service = await startService(scratch)
const bare = await startBare()
const oneCommit = await startOneCommit(scratch)

const order = (target: Target, petId: number): Target => ({
  ...target,
  path: '/store/orders',
  headers: { ...target.headers, 'Content-Type': 'application/json' },
  body: JSON.stringify({ petId, quantity: 1 }),
})
const plain = (server: Target['server'], path: string): Target => ({ server, path, headers: {} })

const targets = {
  'service pet': service.target(`/pets/${service.petId}`),
  'bare pet': plain(bare, `/pets/${service.petId}`),
  'service page': service.target('/pets?limit=20'),
  'bare page': plain(bare, '/pets?limit=20'),
  'service order': order(service.target(''), service.petId),
  'one-commit order': order(plain(oneCommit, ''), 7),
}
const loops = ['pet', 'page', 'order'] as const

async function loop(kind: (typeof loops)[number], round: number): Promise<{ perSecond: number }> {
  const words = ['bun', join(import.meta.dir, 'sqlite-loop.ts'), join(scratch, `loop-${kind}-${round}.db`), kind]
  return JSON.parse(await output(pinned(0, [...words, String(Math.min(seconds, 2))])))
}

try {
  say(`${rounds} rounds, ${seconds} s a measurement, ${connections} connections, medians; ${setup}`)
  say(`Bun ${Bun.version}, ${cpus().length} cores, ${process.platform} ${process.arch}\n`)
  const served: Record<string, Measured[]> = {}
  const looped: Record<string, { perSecond: number }[]> = {}
  for (const target of Object.values(targets)) await load(target, warmUpSeconds, scratch)
  for (let round = 0; round < rounds; round++) {
    for (const [name, target] of Object.entries(targets)) {
      const list = served[name] ?? []
      served[name] = list
      list.push(await load(target, seconds, scratch))
    }
    for (const kind of loops) {
      const list = looped[kind] ?? []
      looped[kind] = list
      list.push(await loop(kind, round))
    }
  }
  const of = (name: keyof typeof targets) => served[name] ?? []
  const inLoop = (kind: (typeof loops)[number]) => ({
    name: 'bare bun:sqlite loop, no HTTP',
    rounds: looped[kind] ?? [],
  })
  const reports = [
    report({
      title: 'pet by id',
      service: of('service pet'),
      others: [{ name: 'bare Bun.serve, constant answer', rounds: of('bare pet'), goal: 0.6 }, inLoop('pet')],
    }),
    report({
      title: 'page of 20',
      service: of('service page'),
      others: [{ name: 'bare Bun.serve, constant answer', rounds: of('bare page') }, inLoop('page')],
    }),
    report({
      title: 'durable order',
      service: of('service order'),
      others: [{ name: 'bare server, one commit per order', rounds: of('one-commit order'), goal: 3 }, inLoop('order')],
    }),
  ]
  say(reports.map(({ text }) => text).join('\n\n'))
  const short = reports.flatMap((part) => part.short)
  say(
    short.length === 0 ? '\nEvery goal is met.' : `\nWhat falls short:\n${short.map((text) => `  ${text}`).join('\n')}`,
  )
} finally {
  await Promise.all([service.server, bare, oneCommit].map((server) => server.kill('SIGTERM')))
  rmSync(scratch, { recursive: true, force: true })
}
