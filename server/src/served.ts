import type { Config } from './config.ts'
import { createAddressReader } from './platform/access/address.ts'
import { createGate } from './platform/access/gate.ts'
import { unavailable } from './platform/api/errors.ts'
import { createInvoker } from './platform/api/invoke.ts'
import type { Shop } from './platform/compose/shop.ts'
import type { Database } from './platform/db/database.ts'
import type { Visibility } from './platform/events/log.ts'
import type { Streams } from './platform/feed/streams.ts'
import type { KeyDirectory } from './platform/keys/directory.ts'
import type { Clock } from './platform/lib/clock.ts'
import { once } from './platform/lib/concurrency.ts'
import type { Limiter } from './platform/limits/limiter.ts'
import { checkReadiness, healthPages, type Readiness } from './platform/telemetry/health.ts'
import { errorFields, type Log } from './platform/telemetry/log.ts'
import type { Metrics } from './platform/telemetry/metrics.ts'
import type { RequestLog } from './platform/telemetry/request-log.ts'
import { countBans } from './platform/telemetry/service-metrics.ts'
import type { Tracer } from './platform/telemetry/traces/tracer.ts'
import type { UsageCounter } from './platform/usage/counter.ts'
import type { SigningSecrets } from './platform/webhooks/signing-secrets.ts'
import type { UrlPolicy } from './platform/webhooks/url.ts'
import { openapi31 } from './surfaces/description/openapi-3-1.ts'
import { descriptionFor } from './surfaces/description/served.ts'
import type { Served } from './surfaces/http/listener.ts'
import { createHttp } from './surfaces/http/response.ts'
import { createAgentEndpoint } from './surfaces/mcp/endpoint.ts'
import { serverCardPages } from './surfaces/mcp/server-card.ts'
import { createSite } from './surfaces/pages/site.ts'
import { createPipeline } from './surfaces/pipeline.ts'
import type { Surroundings } from './surroundings.ts'

/** The components of a running service. */
export interface ServiceComponents {
  readonly shop: Shop
  readonly config: Config
  readonly clock: Clock
  /** Synchronizes the clock with the database's, if it follows that. */
  readonly readTime: () => Promise<void>
  /** Adjusts how many connections this node may use to the number of nodes. */
  readonly fitConnections: () => Promise<void>
  readonly log: Log
  readonly db: Database
  readonly metrics: Metrics
  readonly requestLog: RequestLog
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly streams: Streams
  readonly visibility: Visibility
  readonly signingSecrets: SigningSecrets
  readonly tracer: Tracer | undefined
}

export const urlPolicyOf = ({ webhookAllowPrivate }: Config): UrlPolicy => ({ allowPrivate: webhookAllowPrivate })

/**
 * What the port serves: until the first start is done, only health and readiness, because there are no keys yet; then everything, with
 * links to the base URL.
 */
export function createServed(
  components: ServiceComponents,
  { random, wrap, observe, links }: Surroundings,
  readiness: Readiness,
  details: () => { limits: 'shared' | 'own' },
) {
  const { shop, config, clock, log, db, requestLog, directory, limiter, usage, metrics, tracer } = components
  const gate = createGate({
    db,
    directory,
    limiter,
    usage,
    banFailed: (error) => log.write('warn', 'a ban could not be stored', errorFields(error)),
    onBan: countBans(metrics),
  })
  const startedAt = clock.now()
  const invoke = createInvoker(db)
  const pipeline = createPipeline({
    clock,
    random,
    gate,
    addressOf: createAddressReader(config.trustedProxies),
    invoke: (route) => wrap(invoke(route), route),
    requestLog,
    tracer,
  })
  const httpAt = (baseUrl: string) => createHttp({ pipeline, gate, baseUrl, observe })
  const graceSeconds = db.dialect.engine === 'postgres' ? config.databaseGraceSeconds : 0
  const health = healthPages(db, readiness, graceSeconds * 1000, details)
  const http = httpAt(config.baseUrl)
  const reject = () => http.rejectionHandler(notStarted())
  const whileStarting: Served = {
    routes: [],
    endpoints: [],
    pages: health,
    missing: () => undefined,
    http: { ...http, errorHandler: reject },
    clock,
  }
  const onceStarted = (baseUrl: string): Served => {
    // Most sandboxes are never asked for it.
    const description = once(() => descriptionFor(shop, baseUrl))
    const { pages, missing, documents } = createSite({
      shop,
      description,
      db,
      clock,
      baseUrl,
      links,
      securityContact: config.securityContact,
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
    const webhookPolicy = { urlPolicy: urlPolicyOf(config), secrets: components.signingSecrets }
    const served = shop.routes({ usage, streams: components.streams, webhookPolicy })
    const agents = createAgentEndpoint({
      routes: served,
      pipeline,
      description: () => openapi31(description()),
      documents,
      baseUrl,
      shop,
    })
    return {
      routes: served,
      endpoints: [agents],
      pages: [...health, ...pages, ...serverCardPages(shop, baseUrl)],
      missing,
      http: httpAt(baseUrl),
      clock,
    }
  }
  return { whileStarting, onceStarted }
}

const notStarted = () => unavailable('This node is starting.')
