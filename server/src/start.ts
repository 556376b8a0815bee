import { atPort, type Config, showConfig } from './config.ts'
import { firstAdministrator, firstStart } from './first-start.ts'
import { startJobs } from './jobs.ts'
import type { Shop } from './platform/compose/shop.ts'
import { migrate, versionOf } from './platform/db/migrate.ts'
import { openForServing, sqlitePath } from './platform/db/open.ts'
import { createPatience } from './platform/db/patience.ts'
import { createVisibility } from './platform/events/log.ts'
import { continuePositions } from './platform/events/numbering.ts'
import { addEventMetrics } from './platform/feed/metrics.ts'
import { createStreams } from './platform/feed/streams.ts'
import { createKeyDirectory } from './platform/keys/directory.ts'
import { type Clock, systemClock } from './platform/lib/clock.ts'
import { type DatabaseClock, databaseClock } from './platform/lib/database-clock.ts'
import { createLimiter } from './platform/limits/create.ts'
import { addDatabaseMetrics, observeDatabase } from './platform/telemetry/database-metrics.ts'
import type { Readiness } from './platform/telemetry/health.ts'
import { errorFields, type Log, limitRepeats } from './platform/telemetry/log.ts'
import { createMetrics } from './platform/telemetry/metrics.ts'
import { createRequestLog } from './platform/telemetry/request-log.ts'
import { addBuildInfo } from './platform/telemetry/service-metrics.ts'
import { followDatabase } from './platform/telemetry/shared-clock.ts'
import { recordSpans } from './platform/telemetry/traces/record-spans.ts'
import { sendSpans } from './platform/telemetry/traces/send-spans.ts'
import type { TraceSettings } from './platform/telemetry/traces/settings.ts'
import { traceDatabase } from './platform/telemetry/traces/traced-database.ts'
import type { Tracer } from './platform/telemetry/traces/tracer.ts'
import { createUsageCounter } from './platform/usage/counter.ts'
import { startDispatcher } from './platform/webhooks/dispatch.ts'
import { addWebhookMetrics } from './platform/webhooks/metrics.ts'
import { createSigningSecrets, resealSecrets } from './platform/webhooks/signing-secrets.ts'
import { findNextDue } from './platform/webhooks/store.ts'
import { createServed, type ServiceComponents, urlPolicyOf } from './served.ts'
import { serveMetrics } from './surfaces/http/listener.ts'
import { consoleFault } from './surfaces/pages/console/pages.ts'
import { alone, type Surroundings } from './surroundings.ts'

export type { ServiceComponents }

export interface Service extends ServiceComponents {
  readonly port: number
  /** Where metrics are served, if they are. */
  readonly metricsPort: number | undefined
  /** The secret of the first key, if this start generated it. */
  readonly newSecret: string | undefined
  /** Whether this start created the shop. */
  readonly isNewShop: boolean
  /** Does all background work that is due by the clock, and waits for it. */
  runDue(): Promise<void>
  /** When the next webhook attempt is due, if one is pending. */
  nextDueAt(): Promise<number | undefined>
  /** How many webhook attempts are running. */
  attemptsRunning(): number
  /** Keeps responding, but tells load balancers to stop sending requests. */
  drain(): void
  /** Finishes running requests, writes counts in memory, and closes everything. */
  stop(): Promise<void>
}

/** The clock of the service. On PostgreSQL all nodes use the database's. */
export const createClock = ({ databaseUrl }: Config): Clock | DatabaseClock =>
  sqlitePath(databaseUrl) === undefined ? databaseClock() : systemClock()

/** Creates all components in the order of their dependencies, and opens the port. */
export async function start(
  shop: Shop,
  config: Config,
  clock: Clock | DatabaseClock,
  unlimitedLog: Log,
  surroundings: Surroundings = alone,
): Promise<Service> {
  const log = limitRepeats(unlimitedLog)
  const opened = await open(shop, config, clock, log, surroundings)
  try {
    return await run(await wire(shop, config, clock, log, opened), opened, surroundings)
  } catch (error) {
    await opened.close()
    throw error
  }
}

function openTracer(settings: TraceSettings, version: string, { now }: Clock, log: Log): Tracer {
  const onFailure = (error: unknown) => log.write('warn', 'traces cannot be sent', errorFields(error))
  return recordSpans(settings, sendSpans({ ...settings, version, now, onFailure }))
}

type Opened = Awaited<ReturnType<typeof open>>

/** Opens what must be closed again: the database and the tracer. */
async function open(shop: Shop, config: Config, clock: Clock | DatabaseClock, log: Log, surroundings: Surroundings) {
  const metrics = createMetrics()
  const follower = 'follow' in clock ? clock : undefined
  const {
    db: plainDb,
    counters,
    fitConnections,
  } = await openForServing({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    connectionsMax: config.databaseConnectionsMax,
    bytesMax: surroundings.databaseBytesMax,
    isSynced: surroundings.databaseIsSynced,
    observer: observeDatabase({ metrics, log, slowMs: config.slowStatementMs }),
    // Only the first reading: a later connection may lead to another server, which the periodic reading detects.
    onTimeRead: (reading) => follower?.hasFollowed() || follower?.follow(reading),
    onListenFailure: (error) =>
      log.write('warn', 'PostgreSQL does not allow LISTEN: key changes are polled instead', errorFields(error)),
  })
  const tracer = config.traces && openTracer(config.traces, shop.version, clock, log)
  const db = tracer ? traceDatabase(plainDb, tracer) : plainDb
  const withRetries = createPatience(counters ? startPatienceMs : 0, (error) =>
    log.write('warn', 'startup lost the database connection and will be retried', errorFields(error)),
  )
  /** Functions that stop what runs until the service closes. The last one is called first. */
  const beforeClose: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const stop of beforeClose.toReversed()) await stop()
    await Promise.all([db.close(), counters?.close()])
    await tracer?.stop()
    log.flush()
  }
  return { db, counters, fitConnections, metrics, tracer, follower, withRetries, beforeClose, close }
}

type Wired = Awaited<ReturnType<typeof wire>>

/** Brings the schema up to date and puts the components together. Nothing runs yet. */
async function wire(
  shop: Shop,
  config: Config,
  clock: Clock | DatabaseClock,
  log: Log,
  { db, counters, fitConnections, metrics, tracer, follower, withRetries }: Opened,
) {
  const { applied } = await withRetries(() => migrate(db, clock.now(), shop.migrations, log.write))
  if (applied.length > 0) log.write('info', 'schema migrated', { applied })
  await withRetries(() => db.transaction((tx) => continuePositions(tx, clock.now())))

  const signingSecrets = createSigningSecrets(config.secretsKeys)
  await withRetries(() => resealSecrets(db, signingSecrets))

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
    catalogue: shop.catalogue,
    clock,
    log,
    directory,
    perKeyMax: config.streamsPerKeyMax,
    heartbeatMs: config.heartbeatSeconds * 1000,
  })
  const visibility = createVisibility(db)
  addEventMetrics(metrics, db, streams, visibility)
  const readTime = time?.read ?? (async () => undefined)
  const components: ServiceComponents = {
    shop,
    config,
    clock,
    readTime,
    fitConnections,
    log,
    db,
    metrics,
    requestLog,
    directory,
    limiter,
    usage,
    streams,
    visibility,
    signingSecrets,
    tracer,
  }
  return { components, details: () => ({ limits: mode(), ...time?.detail() }) }
}

/** Opens the ports, makes the first start, and starts the jobs. */
async function run(
  { components, details }: Wired,
  { withRetries, beforeClose, close }: Opened,
  surroundings: Surroundings,
): Promise<Service> {
  const { shop, config, clock, log, db, metrics, streams, tracer } = components
  const readiness: Readiness = { isDraining: false, isStarting: true }
  const { whileStarting, onceStarted } = createServed(components, surroundings, readiness, details)
  const listener = surroundings.listen(config.host, config.port, whileStarting)
  const { host, metricsPort } = config
  if (metricsPort !== undefined) metrics.addProcess()
  const metricsListener = metricsPort === undefined ? undefined : serveMetrics(host, metricsPort, metrics)
  // After opening the ports: the first key is shown only once, and a start that fails on a port must not waste that.
  const admin = firstAdministrator(config)
  const { newSecret, isNewShop } = await withRetries(() => firstStart(shop, db, config, admin, clock.now()))
  if (consoleFault !== '') log.write('warn', 'the console could not be built', errorFields(consoleFault))
  const jobs = startJobs(components)
  beforeClose.push(jobs.stop)
  const attemptsMax = config.webhookAttemptsMax
  const dispatcher = startDispatcher({
    db,
    catalogue: shop.catalogue,
    clock,
    random: surroundings.random,
    log,
    urlPolicy: urlPolicyOf(config),
    secrets: components.signingSecrets,
    attemptsMax,
    tracer,
    onAttempts: surroundings.onAttempts,
  })
  beforeClose.push(dispatcher.stop)
  addWebhookMetrics(metrics, dispatcher)
  listener.replace(onceStarted(atPort(config.baseUrl, listener.port)))
  readiness.isStarting = false
  const schema = await withRetries(() => versionOf(db))
  const { engine } = db.dialect
  addBuildInfo(metrics, { version: shop.version, engine, schema })
  const settings = showConfig(config)
  log.write('info', 'started', { version: shop.version, schema, engine, port: listener.port, settings })
  return {
    ...components,
    port: listener.port,
    metricsPort: metricsListener?.port,
    newSecret,
    isNewShop,
    async runDue() {
      await dispatcher.runDue()
      await jobs.runAll()
    },
    nextDueAt: () => findNextDue(db, clock.now()),
    attemptsRunning: () => dispatcher.counts().running,
    drain() {
      readiness.isDraining = true
    },
    async stop() {
      streams.close()
      await listener.stop()
      await metricsListener?.stop()
      await close()
    },
  }
}

/** How long startup is retried after a lost connection to PostgreSQL. */
const startPatienceMs = 60_000
