// This service beside itself at an earlier commit, on PostgreSQL: a read and an order, by processor time of node and database, in turn.
// Run: npm run bench:against -- <commit>
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { newSecret } from '../server/src/keys/secret.ts'
import { startPostgres } from '../server/test/harness/run/embedded-postgres.ts'
import { root, runService } from '../server/test/harness/run/run-service.ts'
import { databaseSeconds } from './database-time.ts'
import { load, pinned } from './load.ts'
import { median } from './report.ts'
import { leadInSeconds, rounds, say, seconds, warmUpSeconds } from './settings.ts'

const commit = process.argv[2]
if (commit === undefined) throw new Error('Name the commit to compare with: npm run bench:against -- <commit>')

const scratch = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const earlier = join(scratch, 'earlier')
const order = JSON.stringify({ petId: 7, quantity: 1 })
const works = [
  { title: 'pet by id', path: '/pets/7', warmUpTimes: 1 },
  { title: 'order', path: '/store/orders', body: order, warmUpTimes: 4 },
]
const sides = [
  { name: 'before', folder: earlier },
  { name: 'now', folder: root },
]

Bun.spawnSync(['git', 'worktree', 'add', '--detach', earlier, commit], { cwd: root })
Bun.spawnSync(['cp', '-al', join(root, 'node_modules'), earlier])
const postgres = await startPostgres()
const secret = newSecret()
const running: { kill(signal: 'SIGKILL'): Promise<number> }[] = []
try {
  const sql = new SQL(postgres.url, { max: 1 })
  const targets: { name: string; server: { port: number; pid: number } }[] = []
  for (const { name, folder } of sides) {
    await sql.unsafe(`CREATE DATABASE ${name}`)
    const url = new URL(postgres.url)
    url.pathname = `/${name}`
    const { makeShop } = (await import(join(folder, 'bench/shop.ts'))) as typeof import('./shop.ts')
    await makeShop(url.href, secret, 1_000)
    const node = runService({
      before: pinned(0, []),
      file: join(folder, 'server/src/main.ts'),
      cwd: folder,
      errorsAre: 'dropped',
      env: { DATABASE_URL: url.href, SAMPLE_DATA: 'false', LOG_LEVEL: 'info' },
    })
    running.push(node)
    await node.ready
    targets.push({ name, server: { port: node.port, pid: node.pid } })
  }
  await sql.close()
  for (const { title, path, body, warmUpTimes } of works) {
    const headers = { 'X-API-Key': secret, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
    const costs = new Map(sides.map(({ name }) => [name, { node: [] as number[], database: [] as number[] }]))
    const targetOf = (server: (typeof targets)[number]['server']) => ({ server, path, headers, ...(body && { body }) })
    for (const { server } of targets) await load(targetOf(server), 2 * warmUpSeconds * warmUpTimes, scratch)
    for (let round = 0; round < 2 * rounds; round++) {
      for (const { name, server } of round % 2 === 0 ? targets : targets.toReversed()) {
        await load(targetOf(server), leadInSeconds, scratch)
        const before = databaseSeconds(postgres.processId())
        const { requests, cpuMicroseconds = Number.NaN } = await load(targetOf(server), seconds, scratch)
        costs.get(name)?.node.push(cpuMicroseconds)
        costs.get(name)?.database.push(((databaseSeconds(postgres.processId()) - before) / requests) * 1e6)
      }
    }
    for (const [name, { node, database }] of costs) {
      say(
        `${title}, ${name}: ${median(node).toFixed(0)} µs of the node, ${median(database).toFixed(0)} of the database`,
      )
    }
  }
} finally {
  await Promise.all(running.map((node) => node.kill('SIGKILL')))
  await postgres.remove()
  Bun.spawnSync(['git', 'worktree', 'remove', '--force', earlier], { cwd: root })
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(0)
