import { follow } from './follow.ts'
import { type List, listAt, placeIn } from './list.ts'
import type { Query } from './operation.ts'
import type { CallOptions } from './options.ts'
import type { Event, EventFilter } from './schemas.ts'
import type { Transport } from './transport.ts'

export interface FollowOptions extends CallOptions {
  /** The id of an event: what came after it comes first. Only what happens from now on unless given. */
  readonly after?: string | undefined
  /** Only events of these types, such as `order.placed` or `order.*`. */
  readonly types?: EventFilter | readonly EventFilter[] | undefined
}

export class Events {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /** What happened, oldest first, up to now; from the oldest event that is kept, or after the one that is named. */
  list(query: Query<'get', '/events'> = {}, options?: CallOptions): List<Event> {
    return listAt(this.#service, '/events', { query, options }, 'after')
  }

  /**
   * What happens, as it happens, each event once and in order, until the signal is aborted or the loop is left. A broken
   * connection is opened again where it broke; where streams do not get through, it asks every few seconds.
   */
  follow({ after, types, signal }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const service = this.#service
    const query = types === undefined ? {} : { type: types }
    const from = after === 'latest' ? undefined : after
    const open = (last: string | undefined) =>
      service.call(
        'get',
        '/events/stream',
        {
          query,
          options: { signal },
          headers: { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': last }) },
        },
        async (response) => response,
      )
    const poll = async (last = 'latest') => {
      const asked = { ...query, after: last, limit: 100 }
      const events = await service.send('get', '/events', { query: asked, options: { signal } })
      const next = placeIn(events, 'next', 'after')
      return { events, after: next ?? placeIn(events, 'monitor', 'after') ?? last, hasMore: next !== undefined }
    }
    return follow<Event>(service, { open, poll }, from, signal)
  }
}
