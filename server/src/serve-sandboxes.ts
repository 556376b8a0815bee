import { readConfig } from './config.ts'
import { systemClock } from './lib/clock.ts'
import { startHost } from './sandbox/start-host.ts'
import { exitCodeOf, waitForSignal } from './serve.ts'
import { createLog } from './telemetry/log.ts'

interface Options {
  readonly env: Record<string, string | undefined>
  readonly directory: string
  /** Whether to print one line of JSON instead of text for people. */
  readonly json: boolean
  /** Whether to stop when the standard input ends, so that no host outlives the program that started it. */
  readonly withParent: boolean
}

/** Runs a host of sandboxes in this process until a signal. Returns the exit code. */
export const serveSandboxes = ({ env, directory, json, withParent }: Options): Promise<0 | 1> =>
  exitCodeOf(async () => {
    const stop = waitForSignal()
    const config = readConfig({ LOG_LEVEL: 'warn', ...env, DATABASE_URL: undefined })
    const log = createLog(config.logLevel, (text) => process.stderr.write(text), systemClock().now)
    const { url, ready, stop: stopHost } = await startHost({ config, log, directory })
    process.stdout.write(json ? `${JSON.stringify({ url, sandbox: ready })}\n` : announce(url, ready))
    const parentEnds = new Promise<void>((resolve) => {
      if (withParent) process.stdin.on('end', resolve).on('close', resolve).resume()
    })
    await Promise.race([stop, parentEnds])
    await stopHost()
    log.flush()
  })

const announce = (hostUrl: string, { url, apiKey, seed }: { url: string; apiKey: string; seed: string }): string =>
  `Sandboxes are ready at ${hostUrl}. Here is one, with the seed ${seed}:
  API          ${url}
  Key          ${apiKey}
  Console      ${url}/console
  Reference    ${url}/docs

Try it:
  curl -H 'X-API-Key: ${apiKey}' '${url}/pets?limit=3'
  curl -H 'X-API-Key: ${apiKey}' -H 'Prefer: code=503' '${url}/pets'

Create another one:
  curl -X POST ${hostUrl}/sandboxes
`
