// Compares this service with an earlier commit of itself, in turns: the CPU time that each kind of work costs the node and, on
// PostgreSQL, the database.
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { root } from '../server/test/harness/run/run-service.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { load, output, type Target, targetOf } from './load.ts'
import { type Cost, createShop, measureCost, works as postgresWorks, startBenchPostgres } from './postgres-cost.ts'
import { median } from './report.ts'
import { type Server, startService } from './servers.ts'
import { leadInSeconds, rounds, say, seconds, warmUpSeconds } from './settings.ts'
import { worksFor } from './works.ts'

const [, , , commit] = process.argv
if (commit === undefined) throw new Error('Name the commit to compare with: npm run bench -- against <commit>')

interface Side {
  readonly name: string
  readonly server: Server
}
interface Work {
  readonly title: string
  readonly path: string
  readonly bodies?: readonly string[]
  readonly warmUpTimes?: number
}

const scratch = newDirectory()
const earlier = join(scratch.path, 'earlier')
const git = (...words: string[]) => output(['git', '-C', root, 'worktree', ...words])
const secret = newSecret()
const postgres = await startBenchPostgres()
const running: Server[] = []

const shopOf = async (folder: string) =>
  ((await import(join(folder, 'bench/shop.ts'))) as typeof import('./shop.ts')).makeShop

/** Both sides of the comparison, each with a shop created by its own code. */
async function startSides(createDatabase: (name: string, folder: string) => Promise<string>): Promise<Side[]> {
  const sides: Side[] = []
  for (const [name, folder] of [['before', earlier] as const, ['now', root] as const]) {
    const server = await startService(await createDatabase(name, folder), folder)
    running.push(server)
    sides.push({ name, server })
  }
  return sides
}

async function compare(sides: readonly Side[], works: readonly Work[], measure: (target: Target) => Promise<Cost>) {
  for (const work of works) {
    const costs = sides.map((): number[] => [])
    const parts = sides.map((): Cost[] => [])
    for (const { server } of sides) {
      await load(targetOf(server, work, secret), 2 * warmUpSeconds * (work.warmUpTimes ?? 1))
    }
    for (let round = 0; round < 2 * rounds; round++) {
      const order = sides.map((_, index) => index)
      for (const index of round % 2 === 0 ? order : order.toReversed()) {
        const cost = await measure(targetOf((sides[index] as Side).server, work, secret))
        parts[index]?.push(cost)
        costs[index]?.push(cost.node + cost.database)
      }
    }
    const shown = sides.map(({ name }, index) => {
      const of = (part: keyof Cost) => median((parts[index] ?? []).map((cost) => cost[part])).toFixed(0)
      return `${name} ${of('node')} µs of the node, ${of('database')} of the database`
    })
    const [before = [], now = []] = costs
    const ratio = median(now.map((cost, round) => cost / (before[round] ?? Number.NaN)))
    say(`${work.title}: ${shown.join('; ')}; now ${ratio.toFixed(3)} of before`)
  }
}

try {
  await git('add', '--detach', earlier, commit)
  await output(['npm', 'ci', '--prefix', earlier, '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  const onSqlite = await startSides(async (name, folder) => {
    const url = `sqlite:${join(scratch.path, `${name}.db`)}`
    await (await shopOf(folder))(url, secret, 1_000)
    return url
  })
  const [, { server: service }] = onSqlite as [Side, Side]
  const works = worksFor({ service, straight: service, bare: service, fastify: undefined, jsonServer: undefined })
  await compare(onSqlite, works, async (target) => {
    await load(target, leadInSeconds)
    const { cpuMicroseconds = Number.NaN } = await load(target, seconds)
    return { node: cpuMicroseconds, database: 0 }
  })
  const onPostgres = await startSides(async (name, folder) => createShop(postgres, name, secret, await shopOf(folder)))
  await compare(onPostgres, postgresWorks, (target) => measureCost(postgres, target))
} finally {
  await Promise.all(running.map((server) => server.stop()))
  await postgres.remove()
  await git('remove', '--force', earlier).catch(() => undefined)
  scratch.remove()
}
