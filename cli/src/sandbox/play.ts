import { setTimeout as pause } from 'node:timers/promises'
import type { Stage } from './challenge.ts'

const lookEveryMs = 100
export const namesOfNewCategories = ['Ferrets', 'Geckos', 'Parrots'] as const

/** Polls until there is something; undefined if the signal ends it. */
async function waitFor<T>(signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T | undefined> {
  while (!signal.aborted) {
    const found = await look()
    if (found !== undefined) return found
    await pause(lookEveryMs)
  }
  return undefined
}

/** Creates categories while the client follows: one before its stream is cut, two while it is away. */
export async function disturbStream({ shop, admin }: Stage, signal: AbortSignal): Promise<void> {
  const streamsOpened = async () =>
    (await shop.requests()).filter(({ operationId, status }) => operationId === 'streamEvents' && status === 200).length
  const opened = await waitFor(signal, async () => ((await streamsOpened()) > 0 ? true : undefined))
  if (!opened) return
  for (const name of namesOfNewCategories) await admin.categories.create({ name })
}

/** Once the client has a webhook and its first message is delivered, sends a forged one and that message again. */
export async function disturbWebhook({ shop, apiKey }: Stage, signal: AbortSignal): Promise<void> {
  const { webhooks } = shop.client({ apiKey })
  const delivered = await waitFor(signal, async () => {
    const [webhook] = await webhooks.list().toArray(1)
    const [delivery] = webhook ? await webhooks.deliveries(webhook.id, { state: 'delivered' }).toArray(1) : []
    return webhook && delivery && { webhookId: webhook.id, deliveryId: delivery.id }
  })
  if (!delivered) return
  await shop.forge(delivered.webhookId)
  await webhooks.redeliver(delivered.webhookId, delivered.deliveryId)
}
