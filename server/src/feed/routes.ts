import { type Route, read } from '../api/operation.ts'
import { typesOf } from '../events/filter.ts'
import { prunedUpTo } from '../events/log.ts'
import { idOf } from '../events/place.ts'
import { showEvent } from '../events/show.ts'
import { maySee } from '../events/types.ts'
import type { Event } from './operations.ts'
import * as operations from './operations.ts'
import { positionAfter, readPage } from './read.ts'
import type { Streams } from './streams.ts'

export const feedRoutes = (streams: Streams): Route[] => [
  read(operations.listEvents, async (db, { query, caller }) => {
    const { after, type, limit = 20 } = query
    const position = after === undefined ? await prunedUpTo(db) : await positionAfter(db, after)
    const types = typesOf(type)
    const page = await readPage(db, position, limit, (event) => types.has(event.type) && maySee(caller, event))
    const rel = page.hasMore ? ('next' as const) : ('monitor' as const)
    return {
      status: 200 as const,
      body: page.events.map((event) => showEvent(event) as Event),
      continuation: { rel, after: idOf(page.position) },
    }
  }),

  read(operations.streamEvents, async (db, { query, caller, stream }) => {
    const position = await positionAfter(db, stream?.lastEventId ?? query.after ?? 'latest')
    const confirmCaller = stream?.confirmCaller ?? (async () => caller)
    return {
      status: 200 as const,
      body: streams.open({ keyId: caller.keyId, confirmCaller, position, types: typesOf(query.type) }),
    }
  }),
]
