import { follow } from './follow.ts'
import { type List, listAt, positionIn } from './list.ts'
import type { Event, ListEventsQuery, StreamEventsQuery } from './names.ts'
import type { CallOptions } from './options.ts'
import type { Transport } from './transport.ts'

export interface FollowOptions extends CallOptions {
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
   * Events as they happen, or those after the given one, each once and in order, until the signal is aborted or the loop ends.
   * Resumes after a broken connection; polls every few seconds if streams do not get through.
   */
  follow(
    query: StreamEventsQuery = {},
    { onOpen, ...options }: FollowOptions = {},
  ): AsyncGenerator<Event, void, undefined> {
    const service = this.#service
    const { after, ...filter } = query
    const from = after === 'latest' ? undefined : after
    const open = (last: string | undefined) =>
      service.call(
        {
          method: 'GET',
          path: '/events/stream',
          query: filter,
          options,
          headers: { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': last }) },
        },
        async (response) => response,
      )
    const poll = async (last = 'latest') => {
      const pageQuery = { ...filter, after: last, limit: 100 }
      const events = await service.send('get', '/events', { query: pageQuery, options })
      const next = positionIn(events, 'next', 'after')
      return { events, after: next ?? positionIn(events, 'monitor', 'after') ?? last, hasMore: next !== undefined }
    }
    return follow<Event>(service, { open, poll, onOpen }, from, options.signal)
  }
}
