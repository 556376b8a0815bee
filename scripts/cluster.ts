// Three nodes on one PostgreSQL behind a small proxy, all on this machine, to try it out.
// Their data stays in data-cluster; delete that folder to start over.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { isRunning, type PostgresServer, startPostgres } from '../server/test/harness/run/embedded-postgres.ts'
import { type LoadBalancer, startProxy } from '../server/test/harness/run/proxy.ts'
import { type RunningService, root, runService } from '../server/test/harness/run/run-service.ts'

const nodeCount = 3
const home = process.env.CLUSTER_HOME ?? join(root, 'data-cluster')
const port = Number(process.env.PORT || 8080)
const say = (text: string) => process.stdout.write(`${text}\n`)

const nodes: RunningService[] = []
let postgres: PostgresServer | undefined
let proxy: LoadBalancer | undefined
let stopping = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(0))
}

// A signal to npm ends npm and its shell but does not reach this process.
const parent = process.ppid
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && void stop(0), 250)

const started = start()
started.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  return stop(1)
})

/** Nodes drain while the proxy still uses them; the database stops last. */
async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  // Wait for the start to finish, so that nothing is left running.
  await started.catch(() => undefined)
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')))
  await proxy?.stop()
  await postgres?.stop('SIGINT')
  process.exit(exitCode)
}

async function start(): Promise<void> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('PORT must be a whole number up to 65535.')
  rejectSecondStart()
  const addresses: string[] = []
  // Before the nodes: its port is part of their public address.
  proxy = startProxy(addresses, port)
  postgres = await startPostgres(join(home, 'postgres'))
  const baseUrl = `http://127.0.0.1:${proxy.port}`
  const secret = adminSecret()
  const shared = { baseUrl, secret, databaseUrl: postgres.url }
  addresses.push(...(await Promise.all(Array.from({ length: nodeCount }, () => startNode(shared)))))
  await everyNodeIsSeen(proxy)
  if (stopping) return
  say(`Three nodes are ready.
  Service      ${baseUrl}/
${addresses.map((address, index) => `  Node ${index + 1}       ${address}`).join('\n')}
  PostgreSQL   ${postgres.url}
  Data         ${home}

The administrator key:
  ${secret}

Try it:
  curl -H 'X-API-Key: ${secret}' '${baseUrl}/pets?limit=3'

Press Ctrl-C to stop everything; the data is kept for the next start.`)
}

function rejectSecondStart(): void {
  const path = join(home, 'postgres', 'data', 'postmaster.pid')
  if (!existsSync(path)) return
  const pid = Number(readFileSync(path, 'utf8').split('\n', 1)[0])
  if (isRunning(pid)) throw new Error(`A cluster on ${home} is already running: its PostgreSQL is process ${pid}.`)
}

/** The same at every start, so that the printed command always works. */
function adminSecret(): string {
  const path = join(home, 'admin-key')
  mkdirSync(home, { recursive: true })
  if (!existsSync(path)) writeFileSync(path, newSecret(), { mode: 0o600 })
  return readFileSync(path, 'utf8').trim()
}

interface Shared {
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly secret: string
}

/** Starts a node, and returns its address. */
async function startNode({ baseUrl, databaseUrl, secret }: Shared): Promise<string> {
  const node = runService({
    errorsAre: 'shown',
    // This process stops the nodes, before the database.
    detached: true,
    env: {
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
      BASE_URL: baseUrl,
      DATABASE_URL: databaseUrl,
      ADMIN_API_KEY: secret,
      TRUSTED_PROXIES: '127.0.0.1',
      DRAIN_SECONDS: '1',
    },
  })
  nodes.push(node)
  await node.ready.catch(() => {
    throw new Error('A node did not start; see the reason above.')
  })
  return node.url
}

/** The printed command must work immediately, but the proxy looks for nodes only now and then. */
async function everyNodeIsSeen({ ready }: LoadBalancer): Promise<void> {
  while (ready().length < nodeCount) {
    if (nodes.some((node) => node.hasEnded())) throw new Error('A node ended; see the reason above.')
    await Bun.sleep(25)
  }
}
