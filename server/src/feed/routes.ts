import { type Route, read } from '../api/operation.ts'
import { typesOf } from '../events/filter.ts'
import { prunedUpTo } from '../events/log.ts'
import { idOf } from '../events/place.ts'
import { showEvent } from '../events/show.ts'
import { maySee } from '../events/types.ts'
import type { Event } from './operations.ts'
import * as operations from './operations.ts'
import { placeAfter, readPage } from './read.ts'
import type { Streams } from './streams.ts'

export const feedRoutes = (streams: Streams): Route[] => [
  read(operations.listEvents, async (db, { query, caller }) => {
    const { after, type, limit = 20 } = query
    const place = after === undefined ? await prunedUpTo(db) : await placeAfter(db, after)
    const types = typesOf(type)
    const page = await readPage(db, place, limit, (event) => types.has(event.type) && maySee(caller, event))
    const rel = page.hasMore ? ('next' as const) : ('monitor' as const)
    return {
      status: 200 as const,
      body: page.events.map((event) => showEvent(event) as Event),
      continuation: { rel, after: idOf(page.place) },
    }
  }),

  read(operations.streamEvents, async (db, { query, caller, stream }) => {
    const place = await placeAfter(db, stream?.lastEventId ?? query.after ?? 'latest')
    const confirmCaller = stream?.confirmCaller ?? (async () => caller)
    return {
      status: 200 as const,
      body: streams.open({ keyId: caller.keyId, confirmCaller, place, types: typesOf(query.type) }),
    }
  }),
]
