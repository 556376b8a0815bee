// On PostgreSQL: this service compared with a hand-written handler on Bun's client and with Fastify on pg, each with a separate database
// on one server. Measures the CPU time of the node and of all processes of the database.
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { connections, load, type Target, targetOf } from './load.ts'
import { mustBeQuiet } from './machine.ts'
import { installPeers, versionOf } from './peers.ts'
import { type Cost, createShop, measureCost, type PostgresWork, startBenchPostgres, works } from './postgres-cost.ts'
import { median, metOr } from './report.ts'
import { type Server, startPeer, startServer, startService } from './servers.ts'
import { processes, rounds, say, seconds, warmUpSeconds, warmUps } from './settings.ts'

interface Subject {
  readonly name: string
  /** Prefix of the path. */
  readonly under?: string
  /** The only path that it serves. */
  readonly only?: string
  /** The share of its rate that this service should reach, for reads and for orders. */
  readonly goals?: readonly [read: number, order: number]
  readonly server: 'service' | 'straight' | 'fastify'
}

const own: Subject = { name: 'this service', server: 'service' }
const others: readonly Subject[] = [
  { name: "straight handler with Bun's client", server: 'straight', goals: [1.2, 1] },
  { name: 'the same, decided in the program', server: 'straight', under: '/steps', only: '/store/orders' },
  { name: 'the same with windows in its own memory', server: 'straight', under: '/memory' },
  { name: 'Fastify and pg on Node', server: 'fastify', goals: [1 / 0.6, 1 / 0.6] },
]

type Costs = Map<string, Cost[]>
type Servers = Record<Subject['server'], Server | undefined>

/** Measures all kinds of work with all subjects, starting with another subject in each round. */
async function measureEach(
  servers: Servers,
  secret: string,
  round: number,
  each: (subject: string, target: Target, warmUpTimes: number) => Promise<void>,
): Promise<void> {
  const subjects = [own, ...others]
  const first = round % subjects.length
  for (const work of works) {
    const { title, path } = work
    for (const { name, under = '', only = path, server: which } of [
      ...subjects.slice(first),
      ...subjects.slice(0, first),
    ]) {
      const server = servers[which]
      if (!server || only !== path) continue
      await each(`${title}: ${name}`, targetOf(server, { ...work, path: under + path }, secret), work.warmUpTimes)
    }
  }
}

/** The text of the section, with its tables. */
export async function measurePostgres(): Promise<string> {
  const missing = await installPeers()
  const secret = newSecret()
  await mustBeQuiet()
  const postgres = await startBenchPostgres()
  const costs: Costs = new Map()
  let running: Server[] = []
  const stopAll = async () => {
    await Promise.all(running.map((server) => server.stop()))
    running = []
  }
  try {
    const shops: Record<string, string> = {}
    for (const name of ['service', 'straight', 'fastify']) shops[name] = await createShop(postgres, name, secret)
    const env = (name: string) => ({ DATABASE_URL: shops[name] ?? '', API_KEY: secret })
    for (let started = 0; started < processes; started++) {
      const servers: Servers = {
        service: await startService(shops.service ?? ''),
        straight: await startServer(env('straight'), 'bench/straight-postgres-server.ts'),
        fastify: missing === undefined ? await startPeer(env('fastify'), 'bench/peers/fastify-postgres.js') : undefined,
      }
      running = Object.values(servers).filter((server) => server !== undefined)
      for (let warmUp = 0; warmUp < warmUps; warmUp++) {
        say('PostgreSQL: warming up …')
        await measureEach(servers, secret, 0, async (_, target, times) => {
          await load(target, warmUpSeconds * times)
        })
      }
      for (let round = started * rounds; round < (started + 1) * rounds; round++) {
        say(`PostgreSQL: round ${round + 1} of ${processes * rounds} …`)
        await measureEach(servers, secret, round, async (subject, target) => {
          const cost = await measureCost(postgres, target)
          costs.getOrInsertComputed(subject, () => []).push(cost)
        })
      }
      await stopAll()
    }
  } finally {
    await stopAll()
    await postgres.remove()
  }
  const peers = missing === undefined ? ['fastify', 'pg'].map((name) => `${name} ${versionOf(name)}`) : []
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, ${process.platform} ${process.arch}, ${processes * rounds} rounds of ${seconds} s, ${connections} connections, after ${works.map(({ warmUpTimes }) => warmUps * warmUpSeconds * warmUpTimes).join(' and ')} s of warm-up. Each subject has a separate database on one PostgreSQL. ${['Bun', Bun.version].join(' ')}${peers.map((peer) => `, ${peer}`).join('')}.`,
    ...works.map((work) => tableOf(work, costs, missing)),
  ]
  return lines.join('\n\n')
}

function tableOf({ title, bodies }: PostgresWork, costs: Costs, missing: string | undefined): string {
  const roundsOf = ({ name }: Subject) => costs.get(`${title}: ${name}`) ?? []
  const ours = roundsOf(own)
  const together = ({ node, database }: Cost) => node + database
  const figure = (rounds: readonly Cost[], of: (cost: Cost) => number) => median(rounds.map(of)).toFixed(0)
  const figures = (rounds: readonly Cost[]) =>
    `${figure(rounds, ({ node }) => node)} | ${figure(rounds, ({ database }) => database)} | ${figure(rounds, together)}`
  // Within a round, when both had the same conditions.
  const ratio = (rounds: readonly Cost[], of: (cost: Cost) => number) =>
    median(rounds.map((cost, round) => of(cost) / of(ours[round] ?? { node: Number.NaN, database: Number.NaN })))
  const rows = others.flatMap((subject) => {
    const rounds = roundsOf(subject)
    if (rounds.length === 0 && subject.only !== undefined) return []
    if (rounds.length === 0) return `| ${subject.name} | missing: ${missing} | | | | | |`
    const [node, both] = [ratio(rounds, (cost) => cost.node), ratio(rounds, together)]
    const wanted = subject.goals?.[bodies ? 1 : 0]
    const goal = wanted === undefined ? '' : `${wanted.toFixed(2)}: ${metOr(both >= wanted)}`
    return `| ${subject.name} | ${figures(rounds)} | ${node.toFixed(2)} of it | ${both.toFixed(2)} of it | ${goal} |`
  })
  return [
    `## ${title}`,
    '',
    '| | µs of the node | µs of the database | together | this service does, node | together | goal, together |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    `| ${own.name} | ${figures(ours)} | | | |`,
    ...rows,
  ].join('\n')
}
