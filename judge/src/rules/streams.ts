import type { Exchange, History } from '../history/exchange.ts'
import { agoMs, isAfter, isAskedFor, isRead, isSuccess, pathOf, queryOf } from '../history/read.ts'
import { backOffMs, broken, kept, type Occasion, type Rule, undecided } from './rule.ts'

export const streams: Rule = {
  id: 'streams',
  level: 'should',
  title: 'Resumes a stream with the last id',
  advice: () =>
    'When a stream ends, open it again with the id of the last message as Last-Event-ID, so that no event is missed.',
  needs: ['streams'],
  check(history, { streams }) {
    const all = history.exchanges
      .filter((exchange) => streams?.operations.includes(exchange.operation ?? '') && !isAskedFor(exchange))
      .map((exchange): Stream => ({ exchange, ...readTarget(exchange, streams?.parameter) }))
    const wasSent = recallSent(all, history)
    return all.flatMap((ended) => judgeStream(ended, all, history, { shownBy: streams?.shownBy ?? [], wasSent }))
  },
}

interface Stream {
  readonly exchange: Exchange
  /** What it is a stream of. */
  readonly subject: string
  /** The id after which it begins. */
  readonly from: string | undefined
}

function readTarget(exchange: Exchange, parameter: string | undefined): Omit<Stream, 'exchange'> {
  const query = queryOf(exchange)
  const given = parameter === undefined ? null : query.get(parameter)
  if (parameter !== undefined) query.delete(parameter)
  query.sort()
  return { subject: `${pathOf(exchange)}?${query}`, from: exchange.headers['last-event-id'] ?? given ?? undefined }
}

interface Known {
  readonly shownBy: readonly string[]
  /** Whether any stream or list sent this id, as far as is known. */
  readonly wasSent: (id: string) => boolean
}

/** Looks through all responses once for each id. */
function recallSent(all: readonly Stream[], { exchanges, isComplete }: History): Known['wasSent'] {
  const known = new Map<string, boolean>()
  const look = (id: string): boolean =>
    all.some(({ exchange }) => exchange.eventIds?.includes(id)) ||
    exchanges.some(({ responseBody }) => responseBody?.includes(`"${id}"`))
  return (id) => {
    const found = known.get(id) ?? (!isComplete || look(id))
    known.set(id, found)
    return found
  }
}

function judgeStream(
  stream: Stream,
  all: readonly Stream[],
  history: History,
  { shownBy, wasSent }: Known,
): Occasion[] {
  const { exchange: ended, subject } = stream
  const { lastEventId: last, client, received } = ended
  // A stream that sent nothing need not be resumed, nor one that the client closed.
  if (last === undefined || (received !== 'complete' && received !== 'cut')) return []
  const later = all.filter(
    (other) => other.exchange.client === client && other.subject === subject && isAfter(other.exchange, ended),
  )
  const [next] = later
  if (!next) return []
  // Besides a consumer that resumes, there may be others that start from the beginning.
  const resumptions = later.filter((other) => other.from !== undefined)
  if (resumptions.some((other) => isGenuine(other.from, stream, all, wasSent))) return [kept(ended)]
  const [resumed] = resumptions
  const read = history.exchanges.some(
    (other) =>
      other.client === client &&
      isRead(other) &&
      isSuccess(other) &&
      isAfter(other, ended) &&
      shownBy.includes(other.operation ?? ''),
  )
  if (read) return []
  if (!resumed && agoMs(ended, history) < backOffMs) return [undecided(ended)]
  const how = resumed
    ? `request ${resumed.exchange.id} resumed after ${resumed.from}, which is not where that stream had come to`
    : `request ${next.exchange.id} started a new one without Last-Event-ID`
  const { exchange: begun } = resumed ?? next
  return [broken([ended, begun], `The stream of request ${ended.id} ended after ${last}, and ${how}.`)]
}

/**
 * Whether the client may have received this id last. What a broken connection sent last may not have arrived, so an id that was sent
 * earlier will do. The id after which the stream began will do only once, and only if a fault broke it.
 */
function isGenuine(
  id = '',
  { exchange: ended, from }: Stream,
  all: readonly Stream[],
  wasSent: Known['wasSent'],
): boolean {
  if (id === ended.lastEventId) return true
  if (id === from)
    return (
      ended.fault !== undefined &&
      !all.some((other) => other.exchange !== ended && other.from === id && isAfter(ended, other.exchange))
    )
  return ended.eventIds === undefined || wasSent(id)
}
