import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Delivery, type Exchange, type History, inOrder } from '@petstore/judge/history'
import { type Judgement, judge } from '@petstore/judge/judge'
import { type Kept, keep, merge } from '@petstore/judge/kept'
import type { Profile } from '@petstore/judge/profile'
import { unsent } from '../platform/webhooks/attempt.ts'
import { noAddress } from '../platform/webhooks/send.ts'
import type { RecordedDelivery, RecordedRequest } from './recorded.ts'
import { replaceFile } from './replace-file.ts'

/** What the report knows about requests and deliveries that may be gone. */
export interface Findings {
  /** The id of the last request that is gone. */
  requestsTo(): number
  /** Keeps what began with requests up to an id. Call it before they are dropped. */
  keepRequests(all: readonly RecordedRequest[], upTo: number): void
  /** Remembers webhook attempts. Those that it was given before are left out. */
  keepAttempts(attempts: readonly RecordedDelivery[]): void
  keepForged(delivery: RecordedDelivery): void
  /** Judges these requests, and adds what was kept. */
  judge(requests: readonly RecordedRequest[]): Judgement
  /** What is found in these requests, the last of which has this id, and in all before. */
  keepAll(requests: readonly RecordedRequest[], lastId: number): KeptFindings
}

/** What is found before a sandbox goes back to a snapshot. */
export interface KeptFindings {
  readonly lastId: number
  readonly kept: Kept
}

interface Stored {
  readonly requestsTo: number
  readonly attemptsTo: number
  readonly kept: Kept
  /** The latest ones, which are not in `kept`. */
  readonly deliveries?: readonly Delivery[]
}

const nothing: Stored = { requestsTo: 0, attemptsTo: 0, kept: {} }
const deliveriesMax = 500
const fileName = 'findings.json'

const read = (folder: string): Stored =>
  existsSync(join(folder, fileName)) ? JSON.parse(readFileSync(join(folder, fileName), 'utf8')) : nothing

const write = (folder: string, stored: Stored): void => replaceFile(join(folder, fileName), JSON.stringify(stored))

/** Puts what was found into the folder of a snapshot that is restored. `isSame`: the snapshot is of what these findings are about. */
export function carryFindings(folder: string, { lastId, kept }: KeptFindings, isSame: boolean): void {
  const stored = read(folder)
  // What the snapshot contains was found before. Ids continue, so that no id stands for two requests.
  if (isSame) write(folder, { requestsTo: lastId, attemptsTo: stored.attemptsTo, kept })
  else write(folder, { ...stored, kept: merge(stored.kept, kept) })
}

type Now = () => Pick<History, 'nowMs' | 'apiNowMs'>

/** Keeps findings in the folder of the sandbox, so that only a reset removes them. */
export function openFindings(folder: string, profile: Profile, now: Now): Findings {
  let stored = read(folder)

  function save(change: Partial<Stored>): void {
    stored = { ...stored, ...change }
    write(folder, stored)
  }

  const historyOf = (requests: readonly RecordedRequest[], deliveries: readonly Delivery[] = []): History => ({
    exchanges: inOrder(requests.filter(({ id }) => id > stored.requestsTo).map(toExchange)),
    deliveries,
    isComplete: stored.requestsTo === 0,
    ...now(),
  })

  /** If there are too many, the older half is judged for good. */
  function addDeliveries(added: readonly RecordedDelivery[], change: Partial<Stored> = {}): void {
    const { nowMs } = now()
    const deliveries = [...(stored.deliveries ?? []), ...added.map((each) => toDelivery(each, nowMs))]
    if (deliveries.length <= deliveriesMax) {
      save({ ...change, deliveries })
      return
    }
    const gone = new Set<unknown>(deliveries.slice(0, deliveries.length / 2))
    const kept = keep(stored.kept, historyOf([], deliveries), profile, (at) => gone.has(at))
    save({ ...change, kept, deliveries: deliveries.filter((delivery) => !gone.has(delivery)) })
  }

  return {
    requestsTo: () => stored.requestsTo,
    keepRequests(all, upTo) {
      const kept = keep(stored.kept, { ...historyOf(all), goesOn: true }, profile, ({ id }) => id <= upTo)
      save({ kept, requestsTo: upTo })
    },
    keepAttempts(attempts) {
      const added = attempts.filter(({ id }) => id > stored.attemptsTo).sort((one, other) => one.id - other.id)
      const last = added.at(-1)
      if (last) addDeliveries(added, { attemptsTo: last.id })
    },
    keepForged: (delivery) => addDeliveries([delivery]),
    judge: (requests) => judge(historyOf(requests, stored.deliveries), profile, stored.kept),
    keepAll: (requests, lastId) => ({
      lastId,
      kept: keep(stored.kept, historyOf(requests, stored.deliveries), profile, () => true),
    }),
  }
}

/** A page of the host itself, such as the console, is not the client that uses the same key. */
const clientOf = (keyId: number | undefined, site: string | undefined): number | undefined =>
  keyId !== undefined && site === 'same-origin' ? -keyId : keyId

/** A recorded request as the client saw it. */
export const toExchange = ({
  at,
  receivedAt,
  endedAt,
  keyId,
  operationId,
  streamLastEventId,
  streamEventIds,
  ...rest
}: RecordedRequest): Exchange => ({
  ...rest,
  client: clientOf(keyId, rest.headers['sec-fetch-site']),
  operation: operationId,
  arrivedMs: Date.parse(receivedAt),
  apiArrivedMs: Date.parse(at),
  ...(endedAt !== undefined && { apiEndedMs: Date.parse(endedAt) }),
  lastEventId: streamLastEventId,
  eventIds: streamEventIds,
})

/** The errors where nothing listens, or where nothing was sent. */
const unreached = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', noAddress, ...Object.values(unsent)])

/** Receivers allow five minutes. Attempts are handed over when they have ended, which takes seconds. */
const freshMs = 270_000

const toDelivery = (
  { id, at, webhookId, eventId, status, error = '', forged = false }: RecordedDelivery,
  nowMs: number,
): Delivery => ({
  id,
  webhook: webhookId,
  event: eventId,
  status,
  isReached: !unreached.has(error),
  isForged: forged,
  ...(Math.abs(Date.parse(at) - nowMs) > freshMs && { isStale: true }),
})
