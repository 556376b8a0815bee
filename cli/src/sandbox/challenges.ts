import type { Challenge } from './challenge.ts'
import { disturbStream, disturbWebhook } from './play.ts'

const newName = 'Rex the Second'
/** A day on which the sample shop ships nothing. */
const [shipDate, dayAfter] = ['2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z']
/** Of this pet there are many. */
const petId = 23

/** All challenges, from the first lesson to the last. */
export const challenges: readonly Challenge[] = [
  {
    name: 'limits',
    lesson: 'After a 429, wait as long as Retry-After says.',
    task: 'List all pets. The first two requests are over the limit.',
    faults: [{ operation: 'listPets', fault: 'rate_limited', times: 2 }],
    secondsLeft: 2,
    rules: ['waits_for_retry_after', 'stays_out_of_bans'],
  },
  {
    name: 'retries',
    lesson: 'Retry what can pass, with growing and random waits, and nothing else.',
    task: 'List the categories, read the profile of pet 1, and read the profile of pet 999999, which does not exist. The service fails several times.',
    faults: [
      { operation: 'listCategories', fault: 'cut', times: 4 },
      { operation: 'getPetProfile', fault: 'unavailable', times: 2 },
    ],
    rules: ['waits_for_retry_after', 'retries_what_can_pass', 'backs_off_with_jitter'],
  },
  {
    name: 'pages',
    lesson: 'Follow the Link header to the next page.',
    task: 'List all pets, 5 on a page.',
    faults: [],
    rules: ['follows_links'],
  },
  {
    name: 'races',
    lesson: 'Edit what you have read, and read again when someone else was faster.',
    task: `Rename pet 1 to "${newName}" with If-Match. Your first edit comes too late.`,
    faults: [{ operation: 'updatePet', fault: 'precondition_failed', times: 1 }],
    rules: ['edits_conditionally'],
    async findFault(admin) {
      const { name } = await admin.pets.profile(1)
      return name === newName ? undefined : `Pet 1 is called "${name}", not "${newName}".`
    },
  },
  {
    name: 'lost-responses',
    lesson: 'Send a POST again with the same Idempotency-Key, so that it takes effect once.',
    task: `Order one of pet ${petId} with the shipDate ${shipDate}. The order is placed, but its response is lost.`,
    faults: [{ operation: 'placeOrder', fault: 'cut_after', times: 1 }],
    rules: ['repeats_posts_safely'],
    async findFault(admin) {
      const placed = await admin.store.orders.list({ petId, shipFrom: shipDate, shipTo: dayAfter }).toArray()
      return placed.length === 1 ? undefined : `Pet ${petId} was ordered ${placed.length} times for that day, not once.`
    },
  },
  {
    name: 'events',
    lesson: 'Resume a stream after the last event that you have seen.',
    task: 'Follow the stream of events until you have seen three of type category.created. The stream breaks in between.',
    faults: [{ operation: 'streamEvents', fault: 'cut_after', times: 1 }],
    play: disturbStream,
    rules: ['resumes_streams'],
  },
  {
    name: 'webhooks',
    lesson: 'Check signatures, respond fast, and expect a message twice.',
    task: `Create a webhook for order.placed that sends to a receiver of yours, and order one of pet ${petId}. You get a forged message too, and one that you have seen before.`,
    faults: [],
    play: disturbWebhook,
    rules: ['acknowledges_webhooks', 'rejects_forged_webhooks'],
  },
  {
    name: 'deprecation',
    lesson: 'Move to the successor of what is deprecated.',
    task: 'Read the pets 1, 2 and 3 by their ids.',
    faults: [],
    rules: ['leaves_deprecated'],
  },
]
