import type { Subprocess } from 'bun'
import { freePort } from '../../../scripts/free-port.ts'
import { newSecret } from '../../src/keys/secret.ts'
import { createTestDatabase } from '../test-database.ts'

export interface Node {
  readonly url: string
  readonly process: Subprocess
  readonly output: () => string
}

export interface Nodes {
  readonly nodes: readonly Node[]
  readonly databaseUrl: string
  readonly adminSecret: string
  /** Starts one more process over the same database. */
  start(env?: Record<string, string>): Promise<Node>
  stop(): Promise<void>
}

/** Real processes over one PostgreSQL database, as a deployment has them. */
export async function startNodes(
  count: number,
  env: Record<string, string> = {},
  databaseUrl?: string,
): Promise<Nodes> {
  const database =
    databaseUrl === undefined ? await createTestDatabase() : { url: databaseUrl, remove: async () => undefined }
  const adminSecret = newSecret()
  const nodes: Node[] = []

  async function start(more: Record<string, string> = {}): Promise<Node> {
    const port = await freePort()
    const child = Bun.spawn(['bun', 'server/src/main.ts'], {
      cwd: new URL('../../..', import.meta.url).pathname,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        DATABASE_URL: database.url,
        ADMIN_API_KEY: adminSecret,
        SAMPLE_DATA: 'false',
        LOG_LEVEL: 'warn',
        ...env,
        ...more,
      },
    })
    let output = ''
    const ended = Promise.all([child.stdout, child.stderr].map((stream) => collect(stream, (text) => (output += text))))
    const node = { url: `http://127.0.0.1:${port}`, process: child, output: () => output }
    nodes.push(node)
    await answers(node, ended)
    return node
  }

  await Promise.all(Array.from({ length: count }, () => start()))
  return {
    nodes,
    databaseUrl: database.url,
    adminSecret,
    start,
    async stop() {
      for (const { process: child } of nodes) child.kill('SIGKILL')
      await Promise.all(nodes.map((node) => node.process.exited))
      await database.remove()
    },
  }
}

async function answers(node: Node, ended: Promise<unknown>): Promise<void> {
  for (;;) {
    if (node.process.exitCode !== null) {
      await ended
      throw new Error(`the node ended: ${node.output()}`)
    }
    const up = await fetch(`${node.url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (up) return
    await Bun.sleep(25)
  }
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}

/** Sends a request to a node; the parts a test looks at. */
export async function call(url: string, secret: string, method: string, path: string, body?: unknown, headers = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      'X-API-Key': secret,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** What a node that has this METRICS_PORT says of itself. */
export async function metricOf(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

/** Waits for a new minute when this one has too little left for what follows. */
export async function startOfMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 20_000) await Bun.sleep(left + 50)
}
