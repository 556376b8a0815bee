import { keyset, page } from '../api/list-page.ts'
import { type Route, read } from '../api/operation.ts'
import { ascending, descending } from '../db/clauses.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { eventIdOf } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'
import type { FeedOperations } from './operations.ts'
import { lookBack, positionAfter, readOn } from './read.ts'
import type { Streams } from './streams.ts'

const byPosition = { tx: 'integer', id: 'integer' } as const
const eventSorts = { id: ascending(byPosition), '-id': descending(byPosition) }

export const feedRoutes = (operations: FeedOperations, catalogue: EventCatalogue, streams: Streams): Route[] => [
  read(operations.listEvents, async (db, { query, caller }) => {
    // Not in the cursor: the list continues the same way, whichever event it began after.
    const { after, ...listed } = query
    const { type, sort = 'id', from, to } = listed
    const pageQuery = keyset(operations.listEvents, listed, eventSorts, sort)
    const [tx, id] = (pageQuery.after ?? []) as number[]
    const start = tx === undefined || id === undefined ? after : eventIdOf({ tx, id })
    const types = catalogue.matchingTypes(type)
    const isInRange = ({ at }: EventRow) => (from === undefined || at >= from) && (to === undefined || at < to)
    const isVisible = (event: EventRow) => types.has(event.type) && isInRange(event) && catalogue.canSee(caller, event)
    const read = sort === 'id' ? readOn : lookBack
    const { events, position, more } = await read(db, start, pageQuery.limit, { from, to, isVisible })
    const next = more === 'next' ? [position.tx, position.id] : undefined
    const found = page({ rows: events, next }, pageQuery, (event) => catalogue.show(event, caller))
    return more === 'monitor' ? { ...found, monitorAfter: eventIdOf(position) } : found
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
