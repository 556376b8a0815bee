// Compares this service with an earlier commit of it, on PostgreSQL: the CPU time that a read and an order cost the node and the database.
// Both are measured alternately.
// Run: npm run bench:against -- <commit>
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { startPostgres } from '../server/test/harness/run/embedded-postgres.ts'
import { root } from '../server/test/harness/run/run-service.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { load, output, targetOf } from './load.ts'
import { type Cost, createShop, measureCost, works } from './postgres-cost.ts'
import { median } from './report.ts'
import { type Server, startService } from './servers.ts'
import { rounds, say, warmUpSeconds } from './settings.ts'

const [, , commit] = process.argv
if (commit === undefined) throw new Error('Name the commit to compare with: npm run bench:against -- <commit>')

const scratch = newDirectory()
const earlier = join(scratch.path, 'earlier')
const git = (...words: string[]) => output(['git', '-C', root, 'worktree', ...words])
const sides: { name: string; server: Server; costs: Cost[] }[] = []
const postgres = await startPostgres()
try {
  await git('add', '--detach', earlier, commit)
  await output(['cp', '-al', join(root, 'node_modules'), earlier])
  const secret = newSecret()
  for (const { name, folder } of [
    { name: 'before', folder: earlier },
    { name: 'now', folder: root },
  ]) {
    const { makeShop } = (await import(join(folder, 'bench/shop.ts'))) as typeof import('./shop.ts')
    const url = await createShop(postgres, name, secret, makeShop)
    sides.push({ name, server: await startService(url, folder), costs: [] })
  }
  for (const work of works) {
    for (const side of sides) {
      side.costs = []
      await load(targetOf(side.server, work, secret), 2 * warmUpSeconds * work.warmUpTimes)
    }
    for (let round = 0; round < 2 * rounds; round++) {
      for (const { server, costs } of round % 2 === 0 ? sides : sides.toReversed()) {
        costs.push(await measureCost(postgres, targetOf(server, work, secret)))
      }
    }
    for (const { name, costs } of sides) {
      const [node, database] = (['node', 'database'] as const).map((part) =>
        median(costs.map((cost) => cost[part])).toFixed(0),
      )
      say(`${work.title}, ${name}: ${node} µs of the node, ${database} of the database`)
    }
  }
} finally {
  await Promise.all(sides.map(({ server }) => server.stop()))
  await postgres.remove()
  await git('remove', '--force', earlier).catch(() => undefined)
  scratch.remove()
}
process.exit(0)
