import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { systemClock } from '../platform/lib/clock.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { exitCodeOf, waitForSignal } from '../serve.ts'
import { petShop } from '../shop/index.ts'
import { type RunningHost, startHost } from './start-host.ts'

interface Options {
  readonly env: Record<string, string | undefined>
  /** Where the sandboxes are kept; if undefined, they are removed at the end. */
  readonly directory: string | undefined
  /** Origins whose pages may create and manage sandboxes. */
  readonly allowedOrigins?: readonly string[]
  /** Whether to print one line of JSON instead of text for people. */
  readonly json: boolean
  /** Whether to stop when the standard input ends, so that no host outlives the program that started it. */
  readonly withParent: boolean
}

/** Runs a host of sandboxes in this process until a signal. Returns the exit code. */
export const serveSandboxes = ({ env, directory, allowedOrigins, json, withParent }: Options): Promise<0 | 1> =>
  exitCodeOf('text', async () => {
    const stop = waitForSignal()
    const { url, ready, stop: stopHost } = await runHost(env, directory, allowedOrigins)
    process.stdout.write(json ? `${JSON.stringify({ url, sandbox: ready })}\n` : announce(url, ready))
    const parentEnds = new Promise<void>((resolve) => {
      if (withParent) process.stdin.on('end', resolve).on('close', resolve).resume()
    })
    await Promise.race([stop, parentEnds])
    await stopHost()
  })

/** Starts a host in this process, on a free port of this machine, and without leaving files behind. */
export const startTemporaryHost = (env: Options['env']): Promise<{ readonly url: string; stop(): Promise<void> }> =>
  runHost({ ...env, PORT: '0', HOST: undefined, BASE_URL: undefined, ADMIN_API_KEY: undefined }, undefined)

async function runHost(
  env: Options['env'],
  directory: string | undefined,
  allowedOrigins: readonly string[] = [],
): Promise<RunningHost> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...env, DATABASE_URL: undefined, DATABASE_URL_FILE: undefined })
  const log = createLog(config.logLevel, (text) => process.stderr.write(text), systemClock().now)
  const temporary = directory === undefined ? mkdtempSync(join(tmpdir(), 'petstore-sandboxes-')) : undefined
  const host = await startHost({ shop: petShop, config, log, allowedOrigins, directory: directory ?? temporary ?? '' })
  return {
    ...host,
    async stop() {
      await host.stop()
      log.flush()
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
    },
  }
}

const announce = (hostUrl: string, { url, apiKey, seed }: { url: string; apiKey: string; seed: string }): string =>
  `Sandboxes are ready at ${hostUrl}. Here is one, with the seed ${seed}:
  API          ${url}
  Key          ${apiKey}
  Console      ${url}/console
  Reference    ${url}/docs

Try it:
  curl -H 'X-API-Key: ${apiKey}' '${url}${petShop.firstPath}?limit=3'
  curl -H 'X-API-Key: ${apiKey}' -H 'Prefer: code=503' '${url}${petShop.firstPath}'

Create another one:
  curl --json '{}' ${hostUrl}/sandboxes
`
