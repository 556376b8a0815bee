import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { type RunningHost, startHost } from '../../src/sandbox/start-host.ts'
import { petShop } from '../../src/shop/index.ts'
import { newDirectory } from './scratch.ts'
import { testClock } from './service.ts'

/** A response of the host or of a sandbox. */
export interface SandboxResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  readonly body: any
}

export interface TestSandbox {
  readonly id: string
  readonly url: string
  readonly apiKey: string
  readonly seed: string
  readonly expiresAt: string
  /** Sends a request below the address of the sandbox, with its key. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<SandboxResponse>
}

interface Options {
  readonly env?: Record<string, string>
  readonly sandboxesMax?: number
  readonly databaseBytesMax?: number
  readonly directory?: string
  readonly allowedOrigins?: readonly string[]
  /** Gets what the host logs. */
  readonly log?: (text: string) => void
  /** Instead of the clock that stands still. */
  readonly hostTime?: () => number
}

/** Sends a request and reads the response as JSON. */
export async function sendJson(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<SandboxResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** A body that `fetch` sends without its length. */
export const inChunks = (text: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })

/** A host of sandboxes whose time stands still until a test moves it. */
export async function startTestHost({ env = {}, directory, log, ...bounds }: Options = {}) {
  const scratch = newDirectory()
  const clock = testClock()
  const open = (): Promise<RunningHost> =>
    startHost({
      shop: petShop,
      config: readConfig({ PORT: '0', ...env }),
      log: createLog(log ? 'info' : 'silent', (text) => log?.(text), clock.now),
      directory: directory ?? scratch.path,
      hostTime: clock.now,
      ...bounds,
    })
  let running = await open()

  const host = {
    clock,
    directory: directory ?? scratch.path,
    get url() {
      return running.url
    },
    /** The host itself, in this process. */
    get inside() {
      return running.host
    },
    get ready() {
      return toSandbox(running.ready)
    },
    /** Does what the host does every second. */
    sweep: () => running.host.sweep(),
    send: (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      sendJson(method, running.url + path, body, headers),
    async create(wanted: object = {}, headers: Record<string, string> = {}): Promise<TestSandbox> {
      const { status, body } = await host.send('POST', '/sandboxes', wanted, headers)
      if (status !== 201) throw new Error(`no sandbox: ${JSON.stringify(body)}`)
      return toSandbox(body)
    },
    async restart(whileStopped: () => void = () => undefined): Promise<void> {
      await running.stop()
      whileStopped()
      running = await open()
    },
    async stop(): Promise<void> {
      await running.stop()
      scratch.remove()
    },
  }
  return host
}

export const toSandbox = (shown: Omit<TestSandbox, 'send'>): TestSandbox => ({
  ...shown,
  send: (method, path, body, headers) =>
    sendJson(method, shown.url + path, body, { 'X-API-Key': shown.apiKey, ...headers }),
})
