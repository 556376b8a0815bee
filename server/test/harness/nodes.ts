import { newSecret } from '../../src/platform/keys/secret.ts'
import { committedContract } from '../contract/checker.ts'
import { createMigratedDatabase } from './database.ts'
import { type RunningService, runService } from './run/run-service.ts'
import { programFile } from './run/test-programs.ts'

export interface Nodes {
  /** In the order they were started, including those that have ended. */
  readonly nodes: readonly RunningService[]
  readonly databaseUrl: string
  readonly adminSecret: string
  /** Starts another process on the same database. */
  start(env?: Record<string, string>): Promise<RunningService>
  stop(): Promise<void>
}

/** Real processes on one database, like a deployment. With LEAP_FILE, their clock is that of harness/leaping-clock.ts. */
export async function startNodes(
  count: number,
  env: Record<string, string> = {},
  databaseUrl?: string,
): Promise<Nodes> {
  const database =
    databaseUrl === undefined ? await createMigratedDatabase() : { url: databaseUrl, remove: async () => undefined }
  const adminSecret = newSecret()
  const nodes: RunningService[] = []

  async function start(more: Record<string, string> = {}): Promise<RunningService> {
    const node = runService({
      ...((env.LEAP_FILE ?? more.LEAP_FILE) && { file: programFile('leapingNode') }),
      env: {
        DATABASE_URL: database.url,
        DATABASE_GRACE_SECONDS: '0',
        ADMIN_API_KEY: adminSecret,
        SAMPLE_DATA: 'false',
        ...env,
        ...more,
      },
    })
    nodes.push(node)
    await node.ready
    return node
  }

  await Promise.all(Array.from({ length: count }, () => start()))
  return {
    nodes,
    databaseUrl: database.url,
    adminSecret,
    start,
    async stop() {
      await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
      await database.remove()
    },
  }
}

/**
 * Sends a request to a node, and checks the response against the description. Rejects if the connection breaks before the response is
 * complete.
 */
export async function call(url: string, secret: string, method: string, path: string, body?: unknown, headers = {}) {
  const response = await callUnchecked(url, secret, method, path, body, headers)
  committedContract().check(method, path, response, response.body)
  return response
}

/** For nodes with another description. */
export async function callUnchecked(...[url, secret, method, path, body, headers]: Parameters<typeof call>) {
  const response = await fetch(url + path, {
    method,
    headers: {
      'X-API-Key': secret,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** A metric of a node that has a METRICS_PORT. */
export async function metricOf({ metricsPort }: RunningService, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}
