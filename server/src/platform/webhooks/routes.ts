import { keyset, page } from '../api/list-page.ts'
import { accepted, type Caller, created, lacksScope, noContent, ok, type Route, read, write } from '../api/operation.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import type { Id } from '../lib/int64.ts'
import { changeWebhook } from './change.ts'
import { createWebhook, type WebhookPolicy } from './create.ts'
import { deleteWebhook } from './delete.ts'
import { deliverySorts, findAttempts, findDeliveries } from './deliveries.ts'
import { getOwnWebhook, getVisibleWebhook } from './get.ts'
import { getDelivery } from './get-delivery.ts'
import type { WebhookOperations } from './operations.ts'
import { pingWebhook } from './ping.ts'
import { redeliver } from './redeliver.ts'
import { replay, replayCost } from './replay.ts'
import { rotateWebhook } from './rotate.ts'
import { showDelivery, showWebhook, showWithSecret } from './show.ts'
import { findWebhooks, webhookSorts } from './store.ts'

export const webhookRoutes = (
  operations: WebhookOperations,
  catalogue: EventCatalogue,
  policy: WebhookPolicy,
): Route[] => [
  read(operations.listWebhooks, async (db, { query, caller }) => {
    const pageQuery = keyset(operations.listWebhooks, query, webhookSorts, 'id')
    return page(await findWebhooks(db, listedKey(caller, query.keyId), pageQuery), pageQuery, showWebhook)
  }),

  write(operations.createWebhook, async (tx, input) => {
    const webhook = await createWebhook(tx, input, input.body, policy)
    return created(showWithSecret(webhook), `/webhooks/${webhook.id}`)
  }),

  read(operations.getWebhook, async (db, input) =>
    ok(showWebhook(await getVisibleWebhook(db, input, input.params.webhookId))),
  ),

  write(operations.updateWebhook, async (tx, input) =>
    ok(showWebhook(await changeWebhook(tx, input, input.params.webhookId, input.body, policy.urlPolicy))),
  ),

  write(operations.rotateWebhook, async (tx, input) =>
    ok(showWithSecret(await rotateWebhook(tx, input, input.params.webhookId, input.body, policy.secrets))),
  ),

  write(operations.pingWebhook, async (tx, input) =>
    accepted(showDelivery(await pingWebhook(tx, input, input.params.webhookId), [])),
  ),

  read(operations.listDeliveries, async (db, input) => {
    const { query, params } = input
    const webhook = await getOwnWebhook(db, input, params.webhookId)
    const pageQuery = keyset(operations.listDeliveries, query, deliverySorts, '-id', params)
    const type = query.type && [...catalogue.matchingTypes(query.type)]
    const found = await findDeliveries(db, webhook.id, { ...query, type }, pageQuery)
    const attempts = await findAttempts(
      db,
      found.rows.map(({ id }) => id),
    )
    return page(found, pageQuery, (delivery) => showDelivery(delivery, attempts))
  }),

  read(operations.getDelivery, async (db, input) => ok(await getDelivery(db, catalogue, input, input.params))),

  write(operations.redeliverEvent, async (tx, input) => {
    const delivery = await redeliver(tx, input, input.params)
    return accepted(showDelivery(delivery, await findAttempts(tx, [delivery.id])))
  }),

  write(
    operations.replayEvents,
    async (tx, input) => accepted(await replay(tx, catalogue, input, input.params.webhookId, input.body, input.paid)),
    { cost: (db, input) => replayCost(db, catalogue, input, input.params.webhookId, input.body) },
  ),

  write(operations.deleteWebhook, async (tx, input) => {
    await deleteWebhook(tx, input, input.params.webhookId)
    return noContent()
  }),
]

/** The key whose webhooks are listed; undefined for all keys. */
function listedKey({ keyId, scopes }: Caller, requested: Id | undefined): Id | undefined {
  if (scopes.has('keys:manage')) return requested
  if (requested === undefined || requested === keyId) return keyId
  throw lacksScope('`keys:manage`, which the webhooks of another key require')
}
