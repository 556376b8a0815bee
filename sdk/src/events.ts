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

  /**
   * Past events, oldest first unless `sort` is `-id`; starting with the first stored one in that order, or after the given one.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws NotFoundError `events_pruned`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<Event> {
    return listAt(this.#service, '/events', { query, options })
  }

  /**
   * Events as they happen, or those after the given one, each once and in order, until the signal is aborted or the loop ends.
   * Resumes after a broken connection; polls every few seconds if streams do not get through.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws ConflictError `too_many_streams`
   * @throws NotFoundError `events_pruned`
   * @throws PetStoreError for the errors of every call
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
    let cursor: string | undefined
    const poll = async (last = 'latest') => {
      const pageQuery = { ...filter, limit: 100, ...(cursor ? { cursor } : { after: last }) }
      const events = await service.send('get', '/events', { query: pageQuery, options })
      cursor = positionIn(events, 'next', 'cursor')
      const after = positionIn(events, 'monitor', 'after') ?? events.at(-1)?.id ?? last
      return { events, after, hasMore: cursor !== undefined }
    }
    return follow<Event>(service, { open, poll, onOpen }, from, options.signal)
  }
}
