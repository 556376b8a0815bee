import { createAddressReader } from './access/address.ts'
import { createGate } from './access/gate.ts'
import type { Route } from './api/operation.ts'
import { categoryRoutes } from './categories/routes.ts'
import type { Context } from './context.ts'
import { about } from './description/about.ts'
import { openapi } from './description/openapi.ts'
import { corridor } from './http/corridor.ts'
import { type Listener, mount, type Page } from './http/listener.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { sitePages } from './pages/site.ts'
import { petRoutes } from './pets/routes.ts'
import { healthPages, type Readiness } from './telemetry/health.ts'
import { because } from './telemetry/log.ts'
import type { UsageCounter } from './usage/counter.ts'
import { usageRoutes } from './usage/routes.ts'

/** Everything the service does, in the order of its reference. */
export const routes = ({ usage }: { usage: Pick<UsageCounter, 'flush'> }): Route[] => [
  ...petRoutes,
  ...categoryRoutes,
  ...orderRoutes,
  ...inventoryRoutes,
  ...keyRoutes,
  ...usageRoutes(usage),
]

export const describe = (routes: readonly Route[]) =>
  openapi(
    routes.map((route) => route.operation),
    about,
  )

export interface App {
  readonly listener: Listener
  readonly readiness: Readiness
}

/** Puts the service together and opens its port. */
export function startApp(context: Context): App {
  const { config, db, clock, log, directory, limiter, usage } = context
  const served = routes(context)
  const readiness: Readiness = { draining: false, starting: false }
  const gate = createGate({
    db,
    directory,
    limiter,
    usage,
    banFailed: (error) => log.write('warn', 'a ban could not be stored', because(error)),
  })
  const pages: Page[] = [
    ...healthPages(db, readiness, context.details),
    ...sitePages({ description: describe(served), db, clock, baseUrl: config.baseUrl }),
  ]
  const listener = mount({
    routes: served,
    pages,
    corridor: corridor({
      db,
      clock,
      gate,
      addressOf: createAddressReader(config.trustedProxies),
      baseUrl: config.baseUrl,
      requestLog: context.requestLog,
    }),
    host: config.host,
    port: config.port,
  })
  return { listener, readiness }
}
