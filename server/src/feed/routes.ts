import { type Route, read } from '../api/operation.ts'
import { matchingTypes } from '../events/filter.ts'
import { findPrunedPosition } from '../events/log.ts'
import { eventIdOf } from '../events/position.ts'
import { showEvent } from '../events/show.ts'
import { canSee } from '../events/types.ts'
import type { Event } from './operations.ts'
import * as operations from './operations.ts'
import { positionAfter, readPage } from './read.ts'
import type { Streams } from './streams.ts'

export const feedRoutes = (streams: Streams): Route[] => [
  read(operations.listEvents, async (db, { query, caller }) => {
    const { after, type, limit = 20 } = query
    const position = after === undefined ? await findPrunedPosition(db) : await positionAfter(db, after)
    const types = matchingTypes(type)
    const page = await readPage(db, position, limit, (event) => types.has(event.type) && canSee(caller, event))
    const rel = page.hasMore ? ('next' as const) : ('monitor' as const)
    return {
      status: 200 as const,
      body: page.events.map((event) => showEvent(event, caller) as Event),
      continuation: { rel, after: eventIdOf(page.position) },
    }
  }),

  read(operations.streamEvents, async (db, { query, caller, stream }) => {
    const position = await positionAfter(db, stream?.lastEventId ?? query.after ?? 'latest')
    const confirmCaller = stream?.confirmCaller ?? (async () => caller)
    return {
      status: 200 as const,
      body: streams.open({ keyId: caller.keyId, confirmCaller, position, types: matchingTypes(query.type) }),
    }
  }),
]
