import { startApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { createContext } from './context.ts'
import { firstStart } from './first-start.ts'
import { serveMetrics } from './http/listener.ts'
import { systemClock } from './lib/clock.ts'
import { createLog } from './telemetry/log.ts'

// Start, wait for a signal, drain, stop. The only file that touches the process.

const parentCheckMs = 250

const say = (text: string) => process.stdout.write(`${text}\n`)

async function main(config: Config): Promise<void> {
  // Heard from the beginning: whoever reads that the service is ready may stop it at once.
  const stop = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => resolve(name))
    // A signal sent to `npm start` ends npm and its shell but does not come through to here.
    const parent = process.ppid
    const watch = () => process.ppid !== parent && resolve('SIGTERM')
    if (process.env.npm_lifecycle_event === 'start') setInterval(watch, parentCheckMs).unref()
  })
  const clock = systemClock()
  const log = createLog(config.logLevel, (text) => process.stderr.write(text), clock.now)
  const context = await createContext(config, clock, log)
  const app = startApp(context)
  app.readiness.starting = true
  const metrics =
    config.metricsPort === undefined ? undefined : serveMetrics(config.host, config.metricsPort, context.metrics)
  // After the ports are open: a start that fails on them must not use up the one showing of the first key.
  const { newSecret } = await firstStart(context.db, config, clock.now())
  app.readiness.starting = false
  announce(config, app.listener.port, newSecret)

  const signal = await stop
  log.write('info', 'stopping', { signal })
  app.readiness.draining = true
  // Time for a load balancer to see that this node is not ready, while it still answers.
  if (signal === 'SIGTERM') await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
  await app.listener.stop()
  await metrics?.stop()
  await context.dispose()
}

function announce(config: Config, port: number, newSecret: string | undefined): void {
  // With PORT=0 the system chose the port, which nobody could know before.
  const baseUrl = config.port === 0 ? config.baseUrl.replace(/:0$/, `:${port}`) : config.baseUrl
  const firstKey = `

Your admin key, shown only this once:
  ${newSecret}

Try it:
  curl -H 'X-API-Key: ${newSecret}' '${baseUrl}/pets?limit=3'`
  say(`Pet Store is ready on port ${port}.
  Home         ${baseUrl}/
  Reference    ${baseUrl}/docs
  Description  ${baseUrl}/openapi.json${newSecret === undefined ? '' : firstKey}`)
}

try {
  await main(readConfig(process.env))
  process.exit(0)
} catch (error) {
  const { message, cause } = error instanceof Error ? error : { message: error }
  process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`)
  process.exit(1)
}
