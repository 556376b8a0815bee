import { createAddressReader } from './access/address.ts'
import { createGate } from './access/gate.ts'
import { ApiError } from './api/errors.ts'
import { createInvoker } from './api/invoke.ts'
import { routes } from './app.ts'
import { type Config, showConfig } from './config.ts'
import type { Database } from './db/database.ts'
import { migrate, versionOf } from './db/migrate.ts'
import { released } from './db/migrations/released.ts'
import { openForServing, sqlitePath } from './db/open.ts'
import { createPatience } from './db/patience.ts'
import { about } from './description/about.ts'
import { openapi31 } from './description/openapi-3-1.ts'
import { descriptionFor } from './description/served.ts'
import { continuePositions } from './events/numbering.ts'
import { createVisibility, type Visibility } from './events/visibility.ts'
import { addEventMetrics } from './feed/metrics.ts'
import { createStreams, type Streams } from './feed/streams.ts'
import { firstAdministrator, firstStart } from './first-start.ts'
import type { Served } from './http/handlers.ts'
import { serveMetrics } from './http/listener.ts'
import { createPipeline } from './http/pipeline.ts'
import { startJobs } from './jobs.ts'
import { createKeyDirectory, type KeyDirectory } from './keys/directory.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { type DatabaseClock, databaseClock } from './lib/database-clock.ts'
import { once } from './lib/once.ts'
import { createLimiter } from './limits/create.ts'
import type { Limiter } from './limits/limiter.ts'
import { createAgentEndpoint } from './mcp/endpoint.ts'
import { serverCardPages } from './mcp/server-card.ts'
import { consoleFault } from './pages/console/pages.ts'
import { createSite } from './pages/site.ts'
import { alone, type Surroundings } from './surroundings.ts'
import { addDatabaseMetrics, observeDatabase } from './telemetry/database-metrics.ts'
import { checkReadiness, healthPages, type Readiness } from './telemetry/health.ts'
import { limitRepeats } from './telemetry/limit-repeats.ts'
import { errorFields, type Log } from './telemetry/log.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { createRequestLog, type RequestLog } from './telemetry/request-log.ts'
import { addBuildInfo, countBans } from './telemetry/service-metrics.ts'
import { followDatabase } from './telemetry/shared-clock.ts'
import { createUsageCounter, type UsageCounter } from './usage/counter.ts'
import { startDispatcher } from './webhooks/dispatch.ts'
import { addWebhookMetrics } from './webhooks/metrics.ts'
import { findNextDue } from './webhooks/store.ts'
import type { UrlPolicy } from './webhooks/url.ts'

/** The components of a running service. */
export interface ServiceComponents {
  readonly config: Config
  readonly clock: Clock
  /** Synchronizes the clock with the database's, if it follows that. */
  readonly readTime: () => Promise<void>
  readonly log: Log
  readonly db: Database
  readonly metrics: Metrics
  readonly requestLog: RequestLog
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly streams: Streams
  readonly visibility: Visibility
}

export interface Service extends ServiceComponents {
  readonly port: number
  /** The secret of the first key, if this start generated it. */
  readonly newSecret: string | undefined
  /** Whether this start created the shop. */
  readonly isNewShop: boolean
  /** Does all background work that is due by the clock, and waits for it. */
  runDue(): Promise<void>
  /** When the next webhook attempt is due, if one is pending. */
  nextDueAt(): Promise<number | undefined>
  /** Keeps answering, but tells load balancers to stop sending requests. */
  drain(): void
  /** Finishes running requests, writes counts in memory, and closes everything. */
  stop(): Promise<void>
}

/** The clock of the service. On PostgreSQL all nodes use the database's. */
export const createClock = ({ databaseUrl }: Config): Clock | DatabaseClock =>
  sqlitePath(databaseUrl) === undefined ? databaseClock() : systemClock()

/** Creates all components in the order of their dependencies, and opens the port. */
export async function start(
  config: Config,
  clock: Clock | DatabaseClock,
  unlimitedLog: Log,
  surroundings: Surroundings = alone,
): Promise<Service> {
  const log = limitRepeats(unlimitedLog)
  const metrics = createMetrics()
  const follower = 'follow' in clock ? clock : undefined
  const { db, counters } = await openForServing({
    url: config.databaseUrl,
    connectionsMax: config.databaseConnectionsMax,
    bytesMax: surroundings.databaseBytesMax,
    observer: observeDatabase({ metrics, log, slowMs: config.slowStatementMs }),
    // Only the first reading: a later connection may lead to another server, which the periodic reading detects.
    onTimeRead: (reading) => follower?.hasFollowed() || follower?.follow(reading),
    onListenFailure: (error) =>
      log.write('warn', 'PostgreSQL does not allow LISTEN: key changes are polled instead', errorFields(error)),
  })
  let stopJobs = async () => undefined as unknown
  let stopDispatcher = stopJobs
  const closeAll = async () => {
    await stopDispatcher()
    await stopJobs()
    await Promise.all([db.close(), counters?.close()])
    log.flush()
  }
  try {
    const withRetries = createPatience(counters ? startPatienceMs : 0, (error) =>
      log.write('warn', 'startup lost the database connection and will be retried', errorFields(error)),
    )
    const { applied } = await withRetries(() => migrate(db, clock.now(), released, log.write))
    if (applied.length > 0) log.write('info', 'schema migrated', { applied })
    await withRetries(() => db.transaction((tx) => continuePositions(tx, clock.now())))

    const requestLog = createRequestLog(log, metrics, clock)
    addDatabaseMetrics(metrics, db, counters)
    const directory = createKeyDirectory(db)
    const onServerChange = directory.forgetAll
    const time = follower && followDatabase({ clock: follower, db, log, metrics, onServerChange })
    await withRetries(async () => time?.read())
    const { limiter, mode } = await createLimiter({ db, counters, clock, log, metrics })
    const usage = createUsageCounter(db, clock)
    const streams = createStreams({
      db,
      clock,
      log,
      directory,
      perKeyMax: config.streamsPerKeyMax,
      heartbeatMs: config.heartbeatSeconds * 1000,
    })
    const visibility = createVisibility(db)
    addEventMetrics(metrics, db, streams, visibility)
    const readTime = time?.read ?? (async () => undefined)
    const components = {
      config,
      clock,
      readTime,
      log,
      db,
      metrics,
      requestLog,
      directory,
      limiter,
      usage,
      streams,
      visibility,
    }

    const readiness: Readiness = { isDraining: false, isStarting: true }
    const details = () => ({ limits: mode(), ...time?.detail() })
    const { whileStarting, onceStarted } = createServed(components, surroundings, readiness, details)
    const listener = surroundings.listen(config.host, config.port, whileStarting)
    const { host, metricsPort } = config
    if (metricsPort !== undefined) metrics.addProcess()
    const metricsListener = metricsPort === undefined ? undefined : serveMetrics(host, metricsPort, metrics)
    // After opening the ports: a start that fails on a port must not use up the only display of the first key.
    const admin = firstAdministrator(config)
    const { newSecret, isNewShop } = await withRetries(() => firstStart(db, config, admin, clock.now()))
    if (consoleFault !== '') log.write('warn', 'the console could not be built', errorFields(consoleFault))
    const jobs = startJobs(components)
    stopJobs = jobs.stop
    const attemptsMax = config.webhookAttemptsMax
    const dispatcher = startDispatcher({
      db,
      clock,
      random: surroundings.random,
      log,
      urlPolicy: urlPolicyOf(config),
      attemptsMax,
    })
    addWebhookMetrics(metrics, dispatcher)
    stopDispatcher = dispatcher.stop
    listener.replace(onceStarted)
    readiness.isStarting = false
    const schema = await withRetries(() => versionOf(db))
    const { engine } = db.dialect
    addBuildInfo(metrics, { version: about.version, engine, schema })
    const settings = showConfig(config)
    log.write('info', 'started', { version: about.version, schema, engine, port: listener.port, settings })
    return {
      ...components,
      port: listener.port,
      newSecret,
      isNewShop,
      async runDue() {
        await dispatcher.runDue()
        await jobs.runAll()
      },
      nextDueAt: () => findNextDue(db, clock.now()),
      drain() {
        readiness.isDraining = true
      },
      async stop() {
        streams.close()
        await listener.stop()
        await metricsListener?.stop()
        await closeAll()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** How long startup is retried after a lost connection to PostgreSQL. */
const startPatienceMs = 60_000

const urlPolicyOf = ({ webhookAllowPrivate }: Config): UrlPolicy => ({ allowPrivate: webhookAllowPrivate })

/** What the port serves: only health and readiness until the first start is done, because there are no keys before. */
function createServed(
  components: ServiceComponents,
  { random, wrap, observe, links }: Surroundings,
  readiness: Readiness,
  details: () => { limits: 'shared' | 'own' },
) {
  const { config, clock, log, db, requestLog, directory, limiter, usage, metrics } = components
  const { baseUrl } = config
  const gate = createGate({
    db,
    directory,
    limiter,
    usage,
    banFailed: (error) => log.write('warn', 'a ban could not be stored', errorFields(error)),
    banned: countBans(metrics),
  })
  const startedAt = clock.now()
  // Most sandboxes are never asked for it.
  const description = once(() => descriptionFor(baseUrl))
  const { pages, missing, documents } = createSite({
    description,
    db,
    clock,
    baseUrl,
    links,
    status: async () => ({
      ...(await checkReadiness(db, readiness)),
      engine: db.dialect.engine,
      limits: details().limits,
      startedAt,
      now: clock.now(),
      lastMinute: requestLog.lastMinute(),
      lastDay: requestLog.lastDay(),
    }),
  })
  const invoke = createInvoker(db)
  const pipeline = createPipeline({
    clock,
    random,
    gate,
    addressOf: createAddressReader(config.trustedProxies),
    invoke: (route) => wrap(invoke(route), route),
    baseUrl,
    requestLog,
    observe,
  })
  const graceSeconds = db.dialect.engine === 'postgres' ? config.databaseGraceSeconds : 0
  const health = healthPages(db, readiness, graceSeconds * 1000, details)
  const refuse = () => pipeline.refusalHandler(notStarted())
  const whileStarting: Served = {
    routes: [],
    endpoints: [],
    pages: health,
    missing: () => undefined,
    pipeline: { ...pipeline, errorHandler: refuse },
    clock,
  }
  const served = routes({ usage, streams: components.streams, urlPolicy: urlPolicyOf(config) })
  const { version } = about
  const agents = createAgentEndpoint({
    routes: served,
    pipeline,
    description: () => openapi31(description()),
    documents,
    baseUrl,
    version,
  })
  const onceStarted: Served = {
    routes: served,
    endpoints: [agents],
    pages: [...health, ...pages, ...serverCardPages({ baseUrl, version })],
    missing,
    pipeline,
    clock,
  }
  return { whileStarting, onceStarted }
}

const notStarted = () =>
  new ApiError('unavailable', 'This node is starting. Nothing was changed; retry in 1 s.', {
    headers: { 'Retry-After': '1' },
  })
