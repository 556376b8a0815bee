import type { Delivery } from '../history/exchange.ts'
import { inWords } from '../history/read.ts'
import { kept, type Occasion, type Rule } from './rule.ts'

/** A message may fail once: that is why it is sent again. */
const attemptsMin = 2

const isAcknowledged = ({ status }: Delivery): boolean => status !== null && status >= 200 && status < 300

const isRejected = ({ status }: Delivery): boolean => status !== null && status >= 400 && status < 500

/** A rejection that may be about the time of the signature. 410 is about the webhook. */
const isAboutTime = (delivery: Delivery): boolean =>
  delivery.isStale === true && isRejected(delivery) && delivery.status !== 410

export const webhooks: Rule = {
  id: 'webhooks',
  level: 'should',
  title: 'Acknowledges webhooks in time, and duplicates too',
  advice: ({ webhooks }) =>
    `Respond with 2xx within ${webhooks?.respondWithinSeconds} seconds and do the work afterwards. An event may come twice: handle each id once and respond with 2xx both times. The report sees the responses, not what the receiver did.`,
  needs: ['webhooks'],
  check({ deliveries }) {
    // Where nothing listens, there is no receiver to judge.
    const received = deliveries.filter((each) => !each.isForged && each.isReached && !isAboutTime(each))
    const messages = Map.groupBy(received, ({ webhook, event }) => `${webhook} ${event}`)
    return [...messages.values()].flatMap(judgeMessage)
  },
}

/** All attempts to deliver a message, and to deliver it again. */
function judgeMessage(attempts: readonly Delivery[]): Occasion[] {
  const [first] = attempts
  if (!first) return []
  // 410 is a response too: the receiver wants no more.
  const lastGood = attempts.findLastIndex((attempt) => isAcknowledged(attempt) || attempt.status === 410)
  const failed = attempts.slice(lastGood + 1)
  if (failed.length === 0) return [kept(first)]
  const isRejectedDuplicate = lastGood >= 0 && failed.some(({ status }) => status !== null && status < 500)
  if (failed.length < attemptsMin && !isRejectedDuplicate) return []
  const ids = failed.map(({ id }) => id)
  const got = failed.map(({ status }) => status ?? 'no response in time').join(', ')
  const what = `${ids.length === 1 ? 'Delivery' : 'Deliveries'} ${inWords(ids)} of event ${first.event} to webhook ${first.webhook} got ${got}`
  const why = isRejectedDuplicate ? 'it had been acknowledged before' : 'it was not acknowledged'
  return [{ at: first, violation: { requests: [], deliveries: ids, explanation: `${what}: ${why}.` } }]
}

export const signatures: Rule = {
  id: 'signatures',
  // A receiver may acknowledge first and check later.
  level: 'should',
  title: 'Rejects a webhook with a wrong signature',
  advice: () => 'Check the signature over the raw body before anything else, and respond with 401 if it is wrong.',
  needs: ['webhooks'],
  check({ deliveries }) {
    // A receiver that rejects everything checks nothing.
    const working = new Set(
      deliveries.filter((delivery) => !delivery.isForged && isAcknowledged(delivery)).map(({ webhook }) => webhook),
    )
    return deliveries
      .filter(({ isForged }) => isForged)
      .flatMap((forged) => judgeForged(forged, working.has(forged.webhook)))
  },
}

function judgeForged(forged: Delivery, isWorking: boolean): Occasion[] {
  const { id, webhook, event, status } = forged
  if (isAcknowledged(forged)) {
    const explanation = `Delivery ${id}, which was forged, of event ${event} to webhook ${webhook} got ${status}: nothing shows that it was rejected.`
    return [{ at: forged, violation: { requests: [], deliveries: [id], explanation } }]
  }
  // An error of the receiver, or none at all, says nothing about the signature.
  return isWorking && isRejected(forged) && !isAboutTime(forged) ? [kept(forged)] : []
}
