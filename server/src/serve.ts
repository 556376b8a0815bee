import { setTimeout as pause } from 'node:timers/promises'
import { announce, explainFailure } from './announce.ts'
import { type Config, checkHost, readConfig } from './config.ts'
import type { Shop } from './platform/compose/shop.ts'
import { systemClock } from './platform/lib/clock.ts'
import { createLog, type LogFormat, logFormats } from './platform/telemetry/log.ts'
import { createClock, start } from './start.ts'

// This file, sandbox/serve.ts and main.ts are the only ones that touch the process.

const parentCheckMs = 250

type Environment = Record<string, string | undefined>

/** Runs the service in this process: starts it, waits for a signal, drains and stops. Returns the exit code. */
export const serve = (shop: Shop, env: Environment): Promise<0 | 1> =>
  exitCodeOf(formatOf(env.LOG_FORMAT), async () => {
    const config = readConfig(env)
    // Before the database is migrated: a start that fails must change nothing.
    await checkHost(config)
    await serveUntilStopped(shop, config)
  })

/** People read a terminal, programs everything else. */
const formatOf = (wanted: string | undefined): LogFormat =>
  logFormats.find((known) => known === wanted) ?? (process.stderr.isTTY ? 'text' : 'json')

/** Reports why `run` failed, if it does: as plain text, or as a line of the log. */
export async function exitCodeOf(format: LogFormat, run: () => Promise<void>): Promise<0 | 1> {
  try {
    await run()
    return 0
  } catch (error) {
    const reason = explainFailure(error)
    const write = (text: string) => void process.stderr.write(text)
    if (format === 'json') createLog('error', write, systemClock().now).write('error', reason)
    else write(`${reason}\n`)
    return 1
  }
}

/** Waits for a signal to stop and returns its name. Must be called first: it may arrive as soon as the service says that it is ready. */
export const waitForSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.once(name, () => resolve(name))
    // A signal sent to `npm start` ends npm and its shell but does not reach this process.
    const parent = process.ppid
    const watch = () => process.ppid !== parent && resolve('SIGTERM')
    const isRunByNpm = ['start', 'sandbox'].includes(process.env.npm_lifecycle_event ?? '')
    if (isRunByNpm) setInterval(watch, parentCheckMs).unref()
  })

async function serveUntilStopped(shop: Shop, config: Config): Promise<void> {
  const stop = waitForSignal()
  const clock = createClock(config)
  const write = (text: string) => process.stderr.write(text)
  const log = createLog(config.logLevel, write, clock.now, formatOf(config.logFormat))
  const service = await start(shop, config, clock, log)
  process.stdout.write(`${announce(shop, config, service)}\n`)

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
