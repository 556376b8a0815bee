import { follow } from './follow.ts'
import { type List, listAt, positionIn } from './list.ts'
import type { Event, EventFilter, ListEventsQuery } from './names.ts'
import type { CallOptions } from './options.ts'
import type { Transport } from './transport.ts'

export interface FollowOptions extends CallOptions {
  /** The id of an event: starts with the one after it. Starts now unless given. */
  readonly after?: string | undefined
  /** Only events of these types, such as `order.placed` or `order.*`. */
  readonly types?: EventFilter | readonly EventFilter[] | undefined
  /** Called once, when the service has accepted the stream: every event from then on is yielded. */
  readonly onOpen?: (() => void) | undefined
}

export class Events {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /** Past events, oldest first unless `sort` is `-id`; from the first stored one in that order, or after the given one. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<Event> {
    return listAt(this.#service, '/events', { query, options }, 'after')
  }

  /**
   * Events as they happen, each once and in order, until the signal is aborted or the loop ends. Resumes after a broken
   * connection; polls every few seconds if streams do not get through.
   */
  follow({ after, types, onOpen, ...options }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const service = this.#service
    const query = types === undefined ? {} : { type: types }
    const from = after === 'latest' ? undefined : after
    const open = (last: string | undefined) =>
      service.call(
        {
          method: 'GET',
          path: '/events/stream',
          query,
          options,
          headers: { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': last }) },
        },
        async (response) => response,
      )
    const poll = async (last = 'latest') => {
      const pageQuery = { ...query, after: last, limit: 100 }
      const events = await service.send('get', '/events', { query: pageQuery, options })
      const next = positionIn(events, 'next', 'after')
      return { events, after: next ?? positionIn(events, 'monitor', 'after') ?? last, hasMore: next !== undefined }
    }
    return follow<Event>(service, { open, poll, onOpen }, from, options.signal)
  }
}
