import type { RecordedDelivery } from '../recorded.ts'
import type { Rule, Violation } from './rule.ts'

const isSuccess = ({ status }: RecordedDelivery): boolean => status !== null && status >= 200 && status < 300
/** 410 is a response too: the receiver wants no more. */
const isResponded = (delivery: RecordedDelivery): boolean => isSuccess(delivery) || delivery.status === 410

export const acknowledgesWebhooks: Rule = {
  id: 'acknowledges_webhooks',
  title: 'Responds to webhooks in time, and to duplicates too',
  advice:
    'Respond with 2xx within 15 seconds and do the work afterwards. An event may come twice: handle each webhook-id once and respond with 2xx both times. The report sees the responses, not what the receiver did.',
  guide: 'webhooks',
  check(_, deliveries) {
    const genuine = deliveries.filter(({ forged }) => !forged)
    const violations = genuine.filter((delivery) => !isResponded(delivery))
    return { seen: genuine.length, violations: violations.map(explainResponse) }
  },
}

export const rejectsForgedWebhooks: Rule = {
  id: 'rejects_forged_webhooks',
  title: 'Rejects a webhook with a wrong signature',
  advice: 'Check the signature over the raw body before anything else, and respond with 401 if it is wrong.',
  guide: 'webhooks',
  check(_, deliveries) {
    const forged = deliveries.filter((delivery) => delivery.forged)
    const accepted = forged.filter(({ status }) => status === null || status < 400 || status >= 500)
    return { seen: forged.length, violations: accepted.map(explainResponse) }
  },
}

const explainResponse = (delivery: RecordedDelivery): Violation => ({
  requests: [],
  deliveries: [delivery.id],
  explanation: `Delivery ${delivery.id}${delivery.forged ? ', which was forged,' : ''} of event ${delivery.eventId} to webhook ${delivery.webhookId} got ${delivery.status ?? 'no response in time'}.`,
})
