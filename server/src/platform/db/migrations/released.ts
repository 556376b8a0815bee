import type { Migration } from '../migration.ts'
import { catalogue } from './0001-catalogue.ts'
import { requests } from './0002-requests.ts'
import { store } from './0003-store.ts'
import { keys } from './0004-keys.ts'
import { sharedLimits } from './0005-shared-limits.ts'
import { indexes } from './0006-indexes.ts'
import { oldestProgram } from './0007-oldest-program.ts'
import { movements } from './0008-movements.ts'
import { orderHistory } from './0009-order-history.ts'
import { costs } from './0010-costs.ts'
import { petCounts } from './0011-pet-counts.ts'
import { events } from './0012-events.ts'
import { webhooks } from './0013-webhooks.ts'
import { search } from './0014-search.ts'
import { cheaperWrites } from './0015-cheaper-writes.ts'
import { writers } from './0016-writers.ts'
import { webhookBacklogs } from './0017-webhook-backlogs.ts'
import { eventTimelines } from './0018-event-timelines.ts'
import { changePositions } from './0019-change-positions.ts'
import { changesByPosition } from './0020-changes-by-position.ts'
import { origins } from './0021-origins.ts'
import { strikes } from './0022-strikes.ts'
import { shopCounts } from './0023-shop-counts.ts'
import { overview } from './0024-overview.ts'
import { countedStrikes } from './0025-counted-strikes.ts'
import { eventTraces } from './0026-event-traces.ts'
import { keptCounts } from './0027-kept-counts.ts'
import { stockLimit } from './0028-stock-limit.ts'
import { validStockLimit } from './0029-valid-stock-limit.ts'
import { webhookStarts } from './0030-webhook-starts.ts'
import { boundedGrace } from './0031-bounded-grace.ts'

/** In order. A released migration is never changed, only followed by another. */
export const released: readonly Migration[] = [
  catalogue,
  requests,
  store,
  keys,
  sharedLimits,
  indexes,
  oldestProgram,
  movements,
  orderHistory,
  costs,
  petCounts,
  events,
  webhooks,
  search,
  cheaperWrites,
  writers,
  webhookBacklogs,
  eventTimelines,
  changePositions,
  changesByPosition,
  origins,
  strikes,
  shopCounts,
  overview,
  countedStrikes,
  eventTraces,
  keptCounts,
  stockLimit,
  validStockLimit,
  webhookStarts,
  boundedGrace,
]
