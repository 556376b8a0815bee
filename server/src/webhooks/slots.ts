import { BoundedMap } from '../lib/bounded-map.ts'
import { minuteMs } from '../lib/time.ts'
import type { EndpointRow } from './store.ts'

/** How many attempts one webhook gets at the same time while it answers within a second. */
const perWebhookMax = 16
/** A webhook that has had no success for this long gets one attempt at a time. */
const failingMs = minuteMs
/** How much the latest attempt counts in the mean duration of a webhook's attempts. */
const latestWeight = 0.3
/** Of so many webhooks and keys it is remembered how they did. */
const rememberedMax = 10_000

type Receiver = Pick<EndpointRow, 'id' | 'key_id' | 'failing_since'>

interface Attempt {
  readonly webhookId: number
  readonly keyId: number
  readonly begunAt: number
}

/** The attempts that a node makes at the same time: who has them, and who may begin more. */
export interface Slots {
  /** How many deliveries to take for each webhook, of those that have some due. */
  allot(due: readonly Receiver[], now: number): Map<number, number>
  begin(deliveryId: number, receiver: Receiver): void
  end(deliveryId: number): void
  /** The deliveries that are being sent to a webhook. */
  ofWebhook(webhookId: number): number[]
  count(): number
}

/**
 * Shares slots by key, then by webhook. A key never has more than it leaves free, so there are always some for another; a webhook
 * never has more than are left for its key. A webhook that takes longer than a second to answer gets fewer in proportion.
 */
export function createSlots(max: number, elapsed: () => number = () => performance.now()): Slots {
  const attempts = new Map<number, Attempt>()
  /** The mean duration of each webhook's attempts, in milliseconds. */
  const meanMs = new BoundedMap<number, number>(rememberedMax)
  /** When each key last began an attempt: the one that waited longest goes first. */
  const turns = new BoundedMap<number, number>(rememberedMax)
  let turn = 0

  /** By how long its attempts take, those that have not ended yet included. */
  function mostFor({ id, failing_since }: Receiver, oldestBegunAt: number, now: number): number {
    if (failing_since !== null && now - failing_since >= failingMs) return 1
    const seconds = Math.max(1_000, meanMs.get(id) ?? 0, elapsed() - oldestBegunAt) / 1_000
    return Math.max(1, Math.floor(perWebhookMax / seconds))
  }

  return {
    allot(due, now) {
      const used = usedBy(attempts.values())
      let free = max - attempts.size
      const receivers = due.map((receiver) => ({ receiver, most: mostFor(receiver, used.oldest(receiver.id), now) }))
      const byKey = Map.groupBy(receivers, ({ receiver }) => receiver.key_id)
      const keys = [...byKey].sort(([one], [other]) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0))
      const allotted = new Map<number, number>()
      for (let before = -1; before !== free; ) {
        before = free
        for (const [keyId, own] of keys) {
          const left = free - used.key(keyId)
          const open = own.filter(({ receiver: { id }, most }) => used.webhook(id) < Math.min(most, left))
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
      attempts.set(deliveryId, { webhookId: id, keyId: key_id, begunAt: elapsed() })
      turns.set(key_id, ++turn)
    },
    end(deliveryId) {
      const attempt = attempts.get(deliveryId)
      if (!attempt) return
      const { webhookId, begunAt } = attempt
      const tookMs = elapsed() - begunAt
      const mean = meanMs.get(webhookId) ?? tookMs
      meanMs.set(webhookId, mean + (tookMs - mean) * latestWeight)
      attempts.delete(deliveryId)
    },
    ofWebhook: (id) => [...attempts].flatMap(([deliveryId, { webhookId }]) => (webhookId === id ? [deliveryId] : [])),
    count: () => attempts.size,
  }
}

/** How many slots each key and each webhook has, and since when. */
function usedBy(attempts: Iterable<Attempt>) {
  const keys = new Map<number, number>()
  const webhooks = new Map<number, number>()
  const oldest = new Map<number, number>()
  const add = (keyId: number, webhookId: number) => {
    keys.set(keyId, (keys.get(keyId) ?? 0) + 1)
    webhooks.set(webhookId, (webhooks.get(webhookId) ?? 0) + 1)
  }
  for (const { keyId, webhookId, begunAt } of attempts) {
    add(keyId, webhookId)
    oldest.set(webhookId, Math.min(oldest.get(webhookId) ?? begunAt, begunAt))
  }
  return {
    add,
    key: (id: number) => keys.get(id) ?? 0,
    webhook: (id: number) => webhooks.get(id) ?? 0,
    oldest: (id: number) => oldest.get(id) ?? Number.POSITIVE_INFINITY,
  }
}
