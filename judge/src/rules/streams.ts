import type { Exchange, History } from '../history/exchange.ts'
import { agoMs, isAfter, isRead, isSuccess } from '../history/read.ts'
import { backOffMs, broken, kept, type Occasion, type Rule, undecided } from './rule.ts'

export const streams: Rule = {
  id: 'streams',
  level: 'should',
  title: 'Resumes a stream with the last id',
  advice: () =>
    'When a stream ends, open it again with the id of the last message as Last-Event-ID, so that no event is missed.',
  needs: ['streams'],
  check(history, { streams }) {
    const all = history.exchanges.filter(({ operation }) => streams?.operations.includes(operation ?? ''))
    return all.flatMap((ended) => judgeStream(ended, all, history, streams?.shownBy ?? []))
  },
}

const idOf = ({ headers }: Exchange): string | undefined => headers['last-event-id']

function judgeStream(
  ended: Exchange,
  all: readonly Exchange[],
  history: History,
  shownBy: readonly string[],
): Occasion[] {
  const { lastEventId: last, client, target, received } = ended
  // One that sent nothing needs no resumption, nor does one that the client closed.
  if (last === undefined || (received !== 'complete' && received !== 'cut')) return []
  const later = all.filter((other) => other.client === client && other.target === target && isAfter(other, ended))
  const [next] = later
  if (!next) return []
  // Beside one consumer that resumes there may be others that begin.
  const resumptions = later.filter((other) => idOf(other) !== undefined)
  if (resumptions.some((other) => isGenuine(other, ended, all, history))) return [kept(ended)]
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
    ? `request ${resumed.id} resumed after ${idOf(resumed)}, which is not where that stream had come to`
    : `request ${next.id} started a new one without Last-Event-ID`
  return [broken([ended, resumed ?? next], `The stream of request ${ended.id} ended after ${last}, and ${how}.`)]
}

/**
 * Whether the client may have received this id last. What a broken connection sent last may not have arrived, so one that was sent
 * earlier will do, but not the one after which the stream began, unless that was so once only.
 */
function isGenuine(resumed: Exchange, ended: Exchange, all: readonly Exchange[], history: History): boolean {
  const id = idOf(resumed) ?? ''
  if (id === ended.lastEventId) return true
  if (id === idOf(ended))
    return (
      ended.fault !== undefined && !all.some((other) => other !== ended && idOf(other) === id && isAfter(ended, other))
    )
  if (!history.isComplete || ended.eventIds === undefined) return true
  return (
    all.some(({ eventIds }) => eventIds?.includes(id)) ||
    history.exchanges.some(({ responseBody }) => responseBody?.includes(`"${id}"`))
  )
}
