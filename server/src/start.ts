import { createAddressReader } from './access/address.ts'
import { createGate } from './access/gate.ts'
import { ApiError } from './api/errors.ts'
import { createInvoker } from './api/invoke.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { migrate, versionOf } from './db/migrate.ts'
import { released } from './db/migrations/released.ts'
import { createPatience } from './db/patience.ts'
import { openPostgres } from './db/postgres.ts'
import { openSqlite } from './db/sqlite.ts'
import { about } from './description/about.ts'
import { descriptionFor } from './description/served.ts'
import { continuePlaces } from './events/numbering.ts'
import { addEventMetrics } from './feed/metrics.ts'
import { createStreams, type Streams } from './feed/streams.ts'
import { firstAdministrator, firstStart } from './first-start.ts'
import { createCorridor } from './http/corridor.ts'
import { listen, type Served, serveMetrics } from './http/listener.ts'
import { startJobs } from './jobs.ts'
import { createKeyDirectory, type KeyDirectory } from './keys/directory.ts'
import type { Clock } from './lib/clock.ts'
import type { DatabaseClock, Reading } from './lib/database-clock.ts'
import { createLimiter } from './limits/create.ts'
import type { Limiter } from './limits/limiter.ts'
import { consoleFault } from './pages/console/pages.ts'
import { createSite } from './pages/site.ts'
import { healthPages, type Readiness, stateOf } from './telemetry/health.ts'
import { because, type Log } from './telemetry/log.ts'
import { createMetrics, type RequestMetrics } from './telemetry/metrics.ts'
import { createRequestLog, type RequestLog } from './telemetry/request-log.ts'
import { followDatabase } from './telemetry/shared-clock.ts'
import { createUsageCounter, type UsageCounter } from './usage/counter.ts'
import { startDispatcher } from './webhooks/dispatch.ts'
import { addWebhookMetrics } from './webhooks/metrics.ts'
import type { Reach } from './webhooks/url.ts'

/** What the parts of the service share. */
export interface Parts {
  readonly config: Config
  readonly clock: Clock
  /** Lets the clock follow the database's, where it does. */
  readonly readTime: () => Promise<void>
  readonly log: Log
  readonly db: Database
  readonly metrics: RequestMetrics
  readonly requestLog: RequestLog
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly streams: Streams
}

export interface Service extends Parts {
  readonly port: number
  /** The secret of the first key, when this start made one up. */
  readonly newSecret: string | undefined
  /** Goes on answering, but tells load balancers to look elsewhere. */
  drain(): void
  /** Lets the requests under way finish, writes what is in memory, lets go of everything. */
  stop(): Promise<void>
}

/**
 * Puts the service together, in the order in which its parts need each other, and opens its port. A clock that can follow the
 * database's does.
 */
export async function start(config: Config, clock: Clock | DatabaseClock, log: Log): Promise<Service> {
  const follower = 'follow' in clock ? clock : undefined
  const { db, counters } = await openDatabases(config, log, follower)
  let stopJobs = async () => undefined as unknown
  let stopDispatcher = stopJobs
  const letGo = async () => {
    await stopDispatcher()
    await stopJobs()
    await Promise.all([db.close(), counters?.close()])
    log.flush()
  }
  try {
    const patiently = createPatience(counters ? startPatienceMs : 0, (error) =>
      log.write('warn', 'the database went away during the start, which is tried again', because(error)),
    )
    const { applied } = await patiently(() => migrate(db, clock.now(), released, log.write))
    if (applied.length > 0) log.write('info', 'schema brought up to date', { applied })
    await patiently(() => db.transaction((tx) => continuePlaces(tx, clock.now())))

    const metrics = createMetrics()
    const requestLog = createRequestLog(log, metrics, clock)
    metrics.add({
      name: 'petstore_database_waiting',
      help: 'Reads and transactions that wait for the database.',
      kind: 'gauge',
      read: db.waiting,
    })
    if (db.log) {
      metrics.add({
        name: 'petstore_sqlite_log_bytes',
        help: 'Length of the write-ahead log of SQLite.',
        kind: 'gauge',
        read: db.log.bytes,
      })
    }
    const directory = createKeyDirectory(db)
    const serverChanged = directory.forgetAll
    const time = follower && followDatabase({ clock: follower, db, log, metrics, serverChanged })
    await patiently(async () => time?.read())
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
    addEventMetrics(metrics, db, streams)
    const readTime = time?.read ?? (async () => undefined)
    const parts: Parts = { config, clock, readTime, log, db, metrics, requestLog, directory, limiter, usage, streams }

    const readiness: Readiness = { draining: false, starting: true }
    const { whileStarting, onceStarted } = served(parts, readiness, () => ({ limits: mode(), ...time?.detail() }))
    const listener = listen(config.host, config.port, whileStarting)
    const { host, metricsPort } = config
    const metricsListener = metricsPort === undefined ? undefined : serveMetrics(host, metricsPort, metrics)
    // After the ports are open: a start that fails on them must not use up the one showing of the first key.
    const admin = firstAdministrator(config)
    const { newSecret } = await patiently(() => firstStart(db, config, admin, clock.now()))
    if (consoleFault !== '') log.write('warn', 'the console could not be built', because(consoleFault))
    stopJobs = startJobs(parts).stop
    const attemptsMax = config.webhookAttemptsMax
    const dispatcher = startDispatcher({ db, clock, log, reach: reachOf(config), attemptsMax })
    addWebhookMetrics(metrics, dispatcher)
    stopDispatcher = dispatcher.stop
    listener.replace(onceStarted)
    readiness.starting = false
    const schema = await patiently(() => versionOf(db))
    log.write('info', 'started', { version: about.version, schema, engine: db.dialect.engine, port: listener.port })
    return {
      ...parts,
      port: listener.port,
      newSecret,
      drain() {
        readiness.draining = true
      },
      async stop() {
        streams.close()
        await listener.stop()
        await metricsListener?.stop()
        await letGo()
      },
    }
  } catch (error) {
    await letGo()
    throw error
  }
}

/** For how long a start goes on without a PostgreSQL that it had reached. */
const startPatienceMs = 60_000
const counterConnectionsMax = 2
/** How many of the connections for work only read. Fewer than write: reads that come together share one. */
const readersOf = (connectionsMax: number): number => Math.max(1, Math.floor(connectionsMax * 0.3))

/** The database, and on PostgreSQL connections for the counters alone, which slow work on the others cannot hold up. */
async function openDatabases({ databaseUrl, databaseConnectionsMax }: Config, log: Log, clock?: DatabaseClock) {
  if (!databaseUrl.startsWith('postgres')) {
    return { db: openSqlite(databaseUrl.replace(/^sqlite:/, ''), { serving: true }), counters: undefined }
  }
  const url = databaseUrl
  // Only the first: which server a later connection leads to, and what that means, is found out by looking.
  const timeRead = (reading: Reading) => clock?.hasFollowed() || clock?.follow(reading)
  // First, and all at once: where connections are few, the limits must not be the ones to go without.
  const counters = await openPostgres({
    url,
    connectionsMax: counterConnectionsMax,
    applicationName: 'petstore-limits',
    openAll: true,
    gathers: false,
    timeRead,
  })
  try {
    const db = await openPostgres({
      url,
      connectionsMax: databaseConnectionsMax,
      readersMax: readersOf(databaseConnectionsMax),
      applicationName: 'petstore',
      notHeard: (error) =>
        log.write('warn', 'PostgreSQL refuses to notify: changes of keys are looked for instead', because(error)),
    })
    return { db, counters }
  } catch (error) {
    await counters.close()
    throw error
  }
}

const reachOf = ({ webhookAllowPrivate }: Config): Reach => ({ allowPrivate: webhookAllowPrivate })

/** What the port answers: health and readiness alone until the first start is done, because no key can be looked up before. */
function served(parts: Parts, readiness: Readiness, details: () => { limits: 'shared' | 'own' }) {
  const { config, clock, log, db, requestLog, directory, limiter, usage } = parts
  const { baseUrl } = config
  const gate = createGate({
    db,
    directory,
    limiter,
    usage,
    banFailed: (error) => log.write('warn', 'a ban could not be stored', because(error)),
  })
  const startedAt = clock.now()
  const { pages, missing } = createSite({
    description: descriptionFor(baseUrl),
    db,
    clock,
    baseUrl,
    status: async () => ({
      ...(await stateOf(db, readiness)),
      engine: db.dialect.engine,
      limits: details().limits,
      startedAt,
      now: clock.now(),
      lastMinute: requestLog.lastMinute(),
    }),
  })
  const corridor = createCorridor({
    clock,
    gate,
    addressOf: createAddressReader(config.trustedProxies),
    invoke: createInvoker(db),
    baseUrl,
    requestLog,
  })
  const health = healthPages(db, readiness, details)
  const refuse = () => corridor.refuse(notStarted())
  const whileStarting: Served = {
    routes: [],
    pages: health,
    missing: () => undefined,
    corridor: { ...corridor, astray: refuse },
  }
  const onceStarted: Served = {
    routes: routes({ usage, streams: parts.streams, reach: reachOf(config) }),
    pages: [...health, ...pages],
    missing,
    corridor,
  }
  return { whileStarting, onceStarted }
}

const notStarted = () =>
  new ApiError('unavailable', 'This node is starting, and nothing was done. Retry in 1 s.', {
    headers: { 'Retry-After': '1' },
  })
