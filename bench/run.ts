// This service beside bare servers, handlers written by hand and peers, interleaved in one run: every round measures every subject
// once, and what disturbs the machine disturbs them all. Writes RESULTS.md. Run: npm run bench
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../scripts/embedded-postgres.ts'
import { newSecret } from '../server/src/keys/secret.ts'
import { connections, load, type Measured, setup, type Target } from './load.ts'
import { millionTable } from './million.ts'
import { installPeers, versionOf } from './peers.ts'
import { type Comparison, tableOf } from './report.ts'
import { type Server, startPeer, startServer, startService } from './servers.ts'
import { makeShop } from './shop.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
/** Code is compiled anew until it has run some 170,000 times. Twice, because what one kind of work has taught may not fit the next. */
const warmUps = 2
const warmUpSeconds = 5 * seconds
/** Before each measurement: a server that stood idle for a minute takes longer at first. */
const leadInSeconds = seconds / 2
const pets = 1_000
const say = (text: string) => process.stdout.write(`${text}\n`)

const scratch = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const secret = newSecret()
const key = { 'X-API-Key': secret }
const servers: Server[] = []
const started = async (server: Promise<Server>): Promise<Server> => {
  servers.push(await server)
  return server
}

/** A shop of its own for each server, all made from the same one. */
const shop = join(scratch, 'shop.db')
function copyOfShop(name: string): string {
  const copy = join(scratch, `${name}.db`)
  copyFileSync(shop, copy)
  return copy
}
const ownShop = (name: string) => ({ DATABASE_PATH: copyOfShop(name), API_KEY: secret })

say('Making the shops …')
await makeShop(`sqlite:${shop}`, secret, pets)
const large = join(scratch, 'large.db')
await makeShop(`sqlite:${large}`, secret, 1_000_000)
const missing = await installPeers()
const postgres = await startPostgres()

try {
  await makeShop(postgres.url, secret, pets)
  const service = await started(startService(`sqlite:${copyOfShop('service')}`))
  const onPostgres = await started(startService(postgres.url))
  const bare = await started(startServer({}, 'bench/bare-server.ts'))
  const straight = await started(startServer(ownShop('straight'), 'bench/straight-server.ts'))
  const peer = (file: string, env: Record<string, string>) =>
    missing === undefined ? started(startPeer(env, file)) : undefined
  const fastify = await peer('bench/peers/fastify.js', ownShop('fastify'))
  const jsonServer = await peer('bench/peers/json-server.js', { PETS: String(pets) })

  interface Row {
    readonly name: string
    readonly server: Server | undefined
    /** Where it is asked for elsewhere than this service. */
    readonly path?: string
    readonly goal?: number
  }
  interface Work {
    readonly title: string
    readonly path: string
    readonly body?: string
    readonly service?: Server
    readonly others: readonly Row[]
  }
  const order = JSON.stringify({ petId: 7, quantity: 1 })
  const alsoTelling = 'the same with log, metrics, usage and checks of the head'
  const works: Work[] = [
    {
      title: 'Pet by id, SQLite',
      path: '/pets/7',
      others: [
        { name: 'straight handler', server: straight, goal: 0.8 },
        { name: alsoTelling, server: straight, path: '/whole/pets/7' },
        { name: 'bare Bun.serve, constant answer', server: bare, goal: 0.46 },
        { name: 'the same with 14 headers', server: bare, path: '/headers/pets/7' },
        { name: 'Fastify and better-sqlite3 on Node', server: fastify },
        { name: 'json-server', server: jsonServer },
      ],
    },
    {
      title: 'Profile by id, SQLite',
      path: '/pets/7/profile',
      others: [
        { name: 'straight handler', server: straight, goal: 0.8 },
        { name: alsoTelling, server: straight, path: '/whole/pets/7/profile' },
        { name: 'bare Bun.serve, constant answer of a pet', server: bare, path: '/pets/7', goal: 0.46 },
        { name: 'Fastify and better-sqlite3 on Node', server: fastify },
      ],
    },
    {
      title: 'Page of 20 with a filter, SQLite',
      path: '/pets?limit=20&status=available',
      others: [
        { name: 'straight handler', server: straight, goal: 0.75 },
        { name: 'Fastify and better-sqlite3 on Node', server: fastify },
        { name: 'json-server', server: jsonServer, path: '/pets?_limit=20&status=available' },
      ],
    },
    {
      title: 'Durable order, SQLite',
      path: '/store/orders',
      body: order,
      others: [
        { name: 'straight handler with group commit', server: straight, goal: 0.8 },
        { name: alsoTelling, server: straight, path: '/whole/store/orders' },
        {
          name: 'straight handler, one commit per order',
          server: straight,
          path: '/one-commit/store/orders',
          goal: 1.8,
        },
        { name: 'Fastify and better-sqlite3 on Node, one commit per order', server: fastify },
      ],
    },
    {
      title: 'Pet by id, PostgreSQL',
      path: '/pets/7',
      service: onPostgres,
      others: [{ name: 'this service on SQLite', server: service }],
    },
    {
      title: 'Order, PostgreSQL',
      path: '/store/orders',
      body: order,
      service: onPostgres,
      others: [{ name: 'this service on SQLite', server: service }],
    },
  ]

  const measured = new Map<string, Measured[]>()
  const roundsOf = (title: string, name: string): Measured[] => {
    const list = measured.get(`${title}: ${name}`) ?? []
    measured.set(`${title}: ${name}`, list)
    return list
  }
  const nameOfOwn = 'this service'
  for (let round = -warmUps; round < rounds; round++) {
    say(round < 0 ? 'Warming up …' : `Round ${round + 1} of ${rounds} …`)
    for (const { title, path, body, others, service: own = service } of works) {
      const rows: Row[] = [{ name: nameOfOwn, server: own }, ...others]
      // Each begins a round in its turn: what was measured just before has a share in what is measured now.
      const first = Math.max(0, round) % rows.length
      for (const row of [...rows.slice(first), ...rows.slice(0, first)]) {
        if (!row.server) continue
        const headers = { ...key, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
        const target: Target = {
          server: row.server,
          path: row.path ?? path,
          headers,
          ...(body !== undefined && { body }),
        }
        await load(target, round < 0 ? warmUpSeconds : leadInSeconds, scratch)
        if (round >= 0) roundsOf(title, row.name).push(await load(target, seconds, scratch))
      }
    }
  }
  const tables = works.map(({ title, others }): string => {
    const comparison: Comparison = {
      title,
      service: roundsOf(title, nameOfOwn),
      others: others.map(({ name, server, goal }) => ({
        name,
        rounds: roundsOf(title, name),
        missing: server ? undefined : missing,
        ...(goal !== undefined && { goal }),
      })),
    }
    return tableOf(comparison)
  })
  say('A million pets …')
  const shops = { small: `sqlite:${copyOfShop('small')}`, large: `sqlite:${large}` }
  tables.push(await millionTable(shops, key, { rounds: Math.min(rounds, 3), seconds, scratch }))

  const peers =
    missing === undefined
      ? ['better-sqlite3', 'fastify', 'json-server'].map((name) => `${name} ${versionOf(name)}`)
      : []
  const node = missing === undefined ? [`Node ${(await Bun.$`node --version`.text()).trim()}`] : []
  const versions = [`Bun ${Bun.version}`, ...node, ...peers, 'PostgreSQL of embedded-postgres'].join(', ')
  const results = `# What \`npm run bench\` measured

${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, ${process.platform} ${process.arch}. ${versions}.
${rounds} rounds of ${seconds} s each, ${connections} connections, all subjects in turn in every round. What does not count: ${warmUps * warmUpSeconds} s of each before the first round, and ${leadInSeconds} s before each
measurement; ${setup}.

Processor time of the server process per request; medians, with the least and the most. "This service does 0.80 of it" means that it
answers 80 requests in the processor time in which the other answers 100. Ratios are taken within a round. Compare them; absolute
figures depend on the machine and on what else it does.

${tables.join('\n\n')}
`
  writeFileSync(join(import.meta.dir, 'RESULTS.md'), results)
  say(results)
} finally {
  await Promise.all(servers.map((server) => server.stop()))
  await postgres.remove()
  rmSync(scratch, { recursive: true, force: true })
}
