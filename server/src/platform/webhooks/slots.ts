import { BoundedMap } from '../lib/bounded-map.ts'
import { minuteMs } from '../lib/time.ts'
import type { EndpointRow } from './store.ts'

/** The most concurrent attempts for a webhook that responds within a second. */
const perWebhookMax = 16
/** A webhook that has failed for this long gets one attempt at a time. */
const failingMs = minuteMs
/** The weight of the latest attempt in the moving average of a webhook's attempt durations. */
const latestWeight = 0.3
/** How many webhooks and keys have statistics in memory. */
const trackedMax = 10_000

type Receiver = Pick<EndpointRow, 'id' | 'key_id' | 'failing_since'>

interface RunningAttempt {
  readonly webhookId: number
  readonly keyId: number
  readonly startedAt: number
}

/** The concurrent attempts of a node: which webhooks have them, and which may start more. */
export interface Slots {
  /** How many deliveries to claim for each webhook that has due ones. */
  allot(due: readonly Receiver[], now: number): Map<number, number>
  begin(deliveryId: number, receiver: Receiver): void
  end(deliveryId: number): void
  /** The deliveries being sent to a webhook. */
  runningFor(webhookId: number): number[]
  count(): number
}

/**
 * Divides slots by key, then by webhook. A key never uses more slots than it leaves free, so other keys always get some; the same
 * goes for the webhooks of a key. A webhook that takes longer than a second to respond gets proportionally fewer.
 */
export function createSlots(max: number, elapsed: () => number = () => performance.now()): Slots {
  const attempts = new Map<number, RunningAttempt>()
  /** The moving average of each webhook's attempt duration, in milliseconds. */
  const meanMs = new BoundedMap<number, number>(trackedMax)
  /** When each key last started an attempt: the key that has waited longest goes first. */
  const turns = new BoundedMap<number, number>(trackedMax)
  let turn = 0

  /** The most slots of a webhook, depending on how long its attempts take, including those still running. */
  function slotsMaxFor({ id, failing_since }: Receiver, oldestStartedAt: number, now: number): number {
    if (failing_since !== null && now - failing_since >= failingMs) return 1
    const seconds = Math.max(1_000, meanMs.get(id) ?? 0, elapsed() - oldestStartedAt) / 1_000
    return Math.max(1, Math.floor(perWebhookMax / seconds))
  }

  return {
    allot(due, now) {
      const used = countSlots(attempts.values())
      let free = max - attempts.size
      const receivers = due.map((receiver) => ({
        receiver,
        slotsMax: slotsMaxFor(receiver, used.oldest(receiver.id), now),
      }))
      const byKey = Map.groupBy(receivers, ({ receiver }) => receiver.key_id)
      const keys = [...byKey].sort(([one], [other]) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0))
      const allotted = new Map<number, number>()
      for (let before = -1; before !== free; ) {
        before = free
        for (const [keyId, own] of keys) {
          const left = free - used.key(keyId)
          const open = own.filter(({ receiver: { id }, slotsMax }) => used.webhook(id) < Math.min(slotsMax, left))
          const [next] = open.sort((one, other) => used.webhook(one.receiver.id) - used.webhook(other.receiver.id))
          if (!next) continue
          const { id } = next.receiver
          used.add(keyId, id)
          allotted.set(id, (allotted.get(id) ?? 0) + 1)
          free--
        }
      }
      return allotted
    },
    begin(deliveryId, { id, key_id }) {
      attempts.set(deliveryId, { webhookId: id, keyId: key_id, startedAt: elapsed() })
      turns.set(key_id, ++turn)
    },
    end(deliveryId) {
      const attempt = attempts.get(deliveryId)
      if (!attempt) return
      const { webhookId, startedAt } = attempt
      const tookMs = elapsed() - startedAt
      const mean = meanMs.get(webhookId) ?? tookMs
      meanMs.set(webhookId, mean + (tookMs - mean) * latestWeight)
      attempts.delete(deliveryId)
    },
    runningFor: (id) => [...attempts].flatMap(([deliveryId, { webhookId }]) => (webhookId === id ? [deliveryId] : [])),
    count: () => attempts.size,
  }
}

/** How many slots each key and each webhook uses, and since when. */
function countSlots(attempts: Iterable<RunningAttempt>) {
  const keys = new Map<number, number>()
  const webhooks = new Map<number, number>()
  const oldest = new Map<number, number>()
  const add = (keyId: number, webhookId: number) => {
    keys.set(keyId, (keys.get(keyId) ?? 0) + 1)
    webhooks.set(webhookId, (webhooks.get(webhookId) ?? 0) + 1)
  }
  for (const { keyId, webhookId, startedAt } of attempts) {
    add(keyId, webhookId)
    oldest.set(webhookId, Math.min(oldest.get(webhookId) ?? startedAt, startedAt))
  }
  return {
    add,
    key: (id: number) => keys.get(id) ?? 0,
    webhook: (id: number) => webhooks.get(id) ?? 0,
    oldest: (id: number) => oldest.get(id) ?? Number.POSITIVE_INFINITY,
  }
}
