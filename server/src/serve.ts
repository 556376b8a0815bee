import { setTimeout as pause } from 'node:timers/promises'
import { type Config, readConfig } from './config.ts'
import { createClock, start } from './start.ts'
import { createLog } from './telemetry/log.ts'

// This file and main.ts are the only ones that touch the process.

const parentCheckMs = 250

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Runs the service in this process: starts it, waits for a signal, drains and stops. Returns the exit code. */
export async function serve(env: Record<string, string | undefined>): Promise<0 | 1> {
  try {
    await serveUntilStopped(readConfig(env))
    return 0
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : { message: error }
    process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`)
    return 1
  }
}

async function serveUntilStopped(config: Config): Promise<void> {
  // Registered first: a signal may arrive as soon as the service says that it is ready.
  const stop = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.once(name, () => resolve(name))
    // A signal sent to `npm start` ends npm and its shell but does not reach this process.
    const parent = process.ppid
    const watch = () => process.ppid !== parent && resolve('SIGTERM')
    if (process.env.npm_lifecycle_event === 'start') setInterval(watch, parentCheckMs).unref()
  })
  const clock = createClock(config)
  const log = createLog(config.logLevel, (text) => process.stderr.write(text), clock.now)
  const service = await start(config, clock, log)
  announce(config, service.port, service.newSecret)

  const signal = await stop
  log.write('info', 'stopping', { signal })
  service.drain()
  // Ctrl-C does not drain: there is no load balancer.
  if (signal !== 'SIGINT') {
    // Keep streams open for the first half: a client that reconnects earlier might be sent to this node again.
    await pause(config.drainSeconds * 500)
    service.streams.close()
    await pause(config.drainSeconds * 500)
  }
  await service.stop()
}

function announce(config: Config, port: number, newSecret: string | undefined): void {
  // With PORT=0 the system has chosen the port.
  const baseUrl = config.port === 0 ? config.baseUrl.replace(/:0$/, `:${port}`) : config.baseUrl
  const firstKey = `

Your admin key, shown only once:
  ${newSecret}

Use it: open ${baseUrl}/console and paste it into the field, or
  curl -H 'X-API-Key: ${newSecret}' '${baseUrl}/pets?limit=3'`
  print(`Pet Store is ready on port ${port}.
  Home         ${baseUrl}/
  Console      ${baseUrl}/console
  Reference    ${baseUrl}/docs
  Description  ${baseUrl}/openapi.json${newSecret === undefined ? '' : firstKey}`)
}
