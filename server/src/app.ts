import type { Operation, Route } from './api/operation.ts'
import { categoryOperations } from './categories/operations.ts'
import { categoryRoutes } from './categories/routes.ts'
import { feedOperations } from './feed/operations.ts'
import { feedRoutes } from './feed/routes.ts'
import type { Streams } from './feed/streams.ts'
import { inventoryOperations } from './inventory/operations.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { keyOperations } from './keys/operations.ts'
import { keyRoutes } from './keys/routes.ts'
import { orderOperations } from './orders/operations.ts'
import { orderRoutes } from './orders/routes.ts'
import { petOperations } from './pets/operations.ts'
import { petRoutes } from './pets/routes.ts'
import { getStoreSummary } from './summary/operations.ts'
import { summaryRoutes } from './summary/routes.ts'
import type { UsageCounter } from './usage/counter.ts'
import { getLimits, getUsage } from './usage/operations.ts'
import { usageRoutes } from './usage/routes.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import type { UrlPolicy } from './webhooks/url.ts'

// The table of contents: all features, in the order of the reference.

/** The operations clients can call. */
export const operations: readonly Operation[] = [
  ...petOperations,
  ...categoryOperations,
  ...orderOperations,
  getStoreSummary,
  ...inventoryOperations,
  ...keyOperations,
  getLimits,
  getUsage,
  ...feedOperations,
  ...webhookOperations,
]

interface Dependencies {
  readonly usage: UsageCounter
  readonly streams: Streams
  readonly urlPolicy: UrlPolicy
}

/** The handlers of the operations. */
export const routes = ({ usage, streams, urlPolicy }: Dependencies): Route[] => [
  ...petRoutes,
  ...categoryRoutes,
  ...orderRoutes,
  ...summaryRoutes,
  ...inventoryRoutes,
  ...keyRoutes,
  ...usageRoutes(usage),
  ...feedRoutes(streams),
  ...webhookRoutes(urlPolicy),
]
