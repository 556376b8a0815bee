import { type Route, read } from '../api/operation.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { eventIdOf } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'
import type { FeedOperations } from './operations.ts'
import { lookBack, positionAfter, readOn } from './read.ts'
import type { Streams } from './streams.ts'

export const feedRoutes = (operations: FeedOperations, catalogue: EventCatalogue, streams: Streams): Route[] => [
  read(operations.listEvents, async (db, { query, caller }) => {
    const { after, type, limit = 20, sort = 'id', from, to } = query
    const types = catalogue.matchingTypes(type)
    const isInRange = ({ at }: EventRow) => (from === undefined || at >= from) && (to === undefined || at < to)
    const isVisible = (event: EventRow) => types.has(event.type) && isInRange(event) && catalogue.canSee(caller, event)
    const read = sort === 'id' ? readOn : lookBack
    const { events, position, more } = await read(db, after, limit, { from, to, isVisible })
    return {
      status: 200 as const,
      body: events.map((event) => catalogue.show(event, caller)),
      ...(more && { continuation: { rel: more, after: eventIdOf(position) } }),
    }
  }),

  read(operations.streamEvents, async (db, { query, caller, stream }) => {
    const position = await positionAfter(db, stream?.lastEventId ?? query.after ?? 'latest')
    const confirmCaller = stream?.confirmCaller ?? (async () => caller)
    return {
      status: 200 as const,
      body: streams.open({ keyId: caller.keyId, confirmCaller, position, types: catalogue.matchingTypes(query.type) }),
    }
  }),
]
