import type { RecordedRequest } from '@petstore/sdk/testing'
import type { Challenge, Stage } from './challenge.ts'
import { disturbStream, disturbWebhook, namesOfNewCategories } from './play.ts'
import { findWrongResult, handIn, resultIs } from './result.ts'

/** Pets of the sample shop. */
const idsOfPets = Array.from({ length: 41 }, (_, index) => index + 1).join(',')
const allIds = 'the ids of all pets in ascending order, with commas between them'
const newName = 'Rex the Second'
/** A day on which the sample shop ships nothing. */
const [shipDate, dayAfter] = ['2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z']
/** There are many of this pet. */
const petId = 23

/** The events that were sent to the client's webhook. */
async function sentEventIds({ shop, apiKey }: Stage): Promise<string> {
  const { webhooks } = shop.client({ apiKey })
  const [webhook] = await webhooks.list().toArray(1)
  const deliveries = webhook ? await webhooks.deliveries(webhook.id).toArray() : []
  return [...new Set(deliveries.map(({ eventId }) => eventId))].join(',')
}

const isPageOfOtherSize = ({ operationId, target }: RecordedRequest): boolean =>
  operationId === 'listPets' && new URLSearchParams(target.split('?')[1]).get('limit') !== '5'

/** All challenges, from the first lesson to the last. */
export const challenges: readonly Challenge[] = [
  {
    name: 'limits',
    lesson: 'After a 429, wait as long as Retry-After says.',
    task: `List all pets. The first two requests are over the limit. ${handIn(allIds)}`,
    faults: [{ operation: 'listPets', fault: 'rate_limited', times: 2 }],
    secondsLeft: 2,
    rules: ['retry-after', 'bans'],
    result: resultIs('the ids of all 41 pets'),
    findFault: findWrongResult(() => idsOfPets),
  },
  {
    name: 'retries',
    lesson: 'Retry what may succeed later, with growing and random waits, and nothing else.',
    task: `Read the profiles of pets 1 to 7, and that of pet 999999, which does not exist. For each of the first six the connection breaks three times; for the seventh the service is unavailable twice. ${handIn('the names of the seven pets in this order, with commas between them')}`,
    faults: [
      ...[1, 2, 3, 4, 5, 6].map((id) => ({ path: `/pets/${id}/profile`, fault: 'cut', times: 3 }) as const),
      { path: '/pets/7/profile', fault: 'unavailable', times: 2 },
    ],
    rules: ['retry-after', 'retries', 'rejections'],
    mustNotFail: ['back-off', 'jitter'],
    result: resultIs('the names of the seven pets'),
    findFault: findWrongResult(() => 'Rex,Bella,Charlie,Luna,Cooper,Daisy,Milo'),
  },
  {
    name: 'pages',
    lesson: 'Follow the Link header to the next page.',
    task: `List all pets, 5 on a page. ${handIn(allIds)}`,
    faults: [],
    rules: ['pages'],
    result: `${resultIs('the ids of all 41 pets')}, and every page had 5`,
    async findFault(stage) {
      const otherSize = (await stage.shop.requests()).find(isPageOfOtherSize)
      if (otherSize) return `${otherSize.target} does not ask for 5 pets per page.`
      return findWrongResult(() => idsOfPets)(stage)
    },
  },
  {
    name: 'races',
    lesson: 'Edit what you have read, and read again when someone else was faster.',
    task: `Rename pet 1 to "${newName}" with If-Match. Your first edit comes too late.`,
    faults: [{ operation: 'updatePet', fault: 'precondition_failed', times: 1 }],
    rules: ['conditions'],
    result: `Pet 1 is called "${newName}"`,
    async findFault({ admin }) {
      const { name } = await admin.pets.profile(1)
      return name === newName ? undefined : `Pet 1 is called "${name}", not "${newName}".`
    },
  },
  {
    name: 'lost-responses',
    lesson: 'Send a POST again with the same Idempotency-Key, so that it takes effect once.',
    task: `Order one unit of pet ${petId} with the shipDate ${shipDate}. The order is placed, but its response is lost.`,
    faults: [{ operation: 'placeOrder', fault: 'cut_after', times: 1 }],
    rules: ['repeats'],
    result: `There is exactly one order of pet ${petId} for that day`,
    async findFault({ admin }) {
      const placed = await admin.store.orders.list({ petId, shipFrom: shipDate, shipTo: dayAfter }).toArray()
      return placed.length === 1 ? undefined : `Pet ${petId} was ordered ${placed.length} times for that day, not once.`
    },
  },
  {
    name: 'events',
    lesson: 'Resume a stream after the last event that you have seen.',
    task: `Follow the stream of events until you have seen three of type category.created. The stream breaks in between. ${handIn('the names of the three categories in the order of the events, with commas between them')}`,
    faults: [{ operation: 'streamEvents', fault: 'cut_after', times: 1 }],
    play: disturbStream,
    rules: ['streams'],
    result: resultIs('the names of the three categories'),
    findFault: findWrongResult(() => namesOfNewCategories.join(',')),
  },
  {
    name: 'webhooks',
    lesson: 'Check signatures, respond fast, and handle a message that comes twice only once.',
    task: `Create a webhook for order.placed that sends to your receiver, and order one unit of pet ${petId}. You get a forged message too, and one that you have seen before. ${handIn('the webhook-id of every genuine message, each once, with commas between them')}`,
    faults: [],
    play: disturbWebhook,
    rules: ['webhooks', 'signatures'],
    result: resultIs('the webhook-id of every genuine message, each once'),
    findFault: findWrongResult(sentEventIds),
  },
  {
    name: 'deprecation',
    lesson: 'Replace what is deprecated with its successor.',
    task: `Read pet 1 with GET /pets/1. The response says that this is deprecated and what its successor is: read pets 2 and 3 with that. ${handIn('the names of the three pets with commas between them')}`,
    faults: [],
    rules: ['deprecation'],
    result: resultIs('the names of pets 1, 2 and 3'),
    findFault: findWrongResult(() => 'Rex,Bella,Charlie'),
  },
]
