import type { Operation, Route } from '../platform/api/operation.ts'
import { feedOperations } from '../platform/feed/operations.ts'
import { feedRoutes } from '../platform/feed/routes.ts'
import type { Streams } from '../platform/feed/streams.ts'
import { keyOperations } from '../platform/keys/operations.ts'
import { keyRoutes } from '../platform/keys/routes.ts'
import type { UsageCounter } from '../platform/usage/counter.ts'
import { getLimits, getUsage } from '../platform/usage/operations.ts'
import { usageRoutes } from '../platform/usage/routes.ts'
import { webhookOperations } from '../platform/webhooks/operations.ts'
import { webhookRoutes } from '../platform/webhooks/routes.ts'
import type { UrlPolicy } from '../platform/webhooks/url.ts'
import { categoryOperations } from './categories/operations.ts'
import { categoryRoutes } from './categories/routes.ts'
import { inventoryOperations } from './inventory/operations.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { orderOperations } from './orders/operations.ts'
import { orderRoutes } from './orders/routes.ts'
import { petOperations } from './pets/operations.ts'
import { petRoutes } from './pets/routes.ts'
import { getStoreSummary } from './summary/operations.ts'
import { summaryRoutes } from './summary/routes.ts'

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
