import { z } from 'zod'
import { defineOperation } from '../../platform/api/operation.ts'
import { Count, integerParam, namedShape, ResponseDateTime } from '../../platform/api/shapes.ts'

/** The longest time that a summary covers. */
const hoursMax = 168
export const hoursDefault = 24
/** The count up to which stock is low. The migration of the counts repeats it. */
export const lowMax = 2
/** How many keys and webhooks that need attention are listed. */
export const attentionMax = 10

const OrderHour = z
  .object({
    from: ResponseDateTime.meta({ description: 'Start of the hour (UTC).' }),
    placed: Count.meta({ description: 'Orders placed.' }),
    completed: Count.meta({ description: 'Orders completed.' }),
    cancelled: Count.meta({ description: 'Orders cancelled.' }),
    unitsSold: Count.meta({ description: 'Units in the orders that were completed.' }),
  })
  .meta({
    id: 'OrderHour',
    description: 'What happened to orders in one hour.',
    example: { from: '2026-11-15T12:00:00.000Z', placed: 3, completed: 2, cancelled: 0, unitsSold: 5 },
  })

const DayBefore = z
  .object({
    openOrders: Count.meta({ description: 'Orders that were not complete.' }),
    available: Count.meta({ description: 'Pets that were available.' }),
    lowStock: Count.meta({ description: `Pets with at most ${lowMax} in stock.` }),
  })
  .meta({
    id: 'DayBefore',
    description: 'What was there when the same hour of the day before began.',
    example: { openOrders: 3, available: 7, lowStock: 2 },
  })

const StoreSummary = z
  .object({
    openOrders: Count.meta({ description: 'Orders that are not complete.' }),
    hours: z
      .array(OrderHour)
      .max(hoursMax)
      .meta({ description: 'An entry for every hour, oldest first. The last one is the current hour.' }),
    petsByStatus: z.object({ available: Count, pending: Count, sold: Count }).meta({ description: 'Pets by status.' }),
    lowStock: Count.meta({ description: `Pets with at most ${lowMax} in stock, including those with none.` }),
    outOfStock: Count.meta({ description: 'Pets with none in stock.' }),
    dayBefore: DayBefore.optional().meta({
      description: 'The day before, to compare with; absent if it was not recorded.',
    }),
    bannedKeys: z
      .array(namedShape('ApiKey'))
      .max(attentionMax)
      .optional()
      .meta({ description: `Up to ${attentionMax} keys that are banned now; only with \`keys:manage\`.` }),
    failingWebhooks: z
      .array(namedShape('Webhook'))
      .max(attentionMax)
      .optional()
      .meta({
        description: `Up to ${attentionMax} webhooks whose last attempt failed, or that the service deactivated: those of your key with \`webhooks:manage\`, of all keys with \`keys:manage\`.`,
      }),
  })
  .meta({
    id: 'StoreSummary',
    description: 'The shop in figures.',
    example: {
      openOrders: 4,
      hours: [OrderHour.meta()?.example],
      petsByStatus: { available: 6, pending: 1, sold: 1 },
      lowStock: 3,
      outOfStock: 2,
      dayBefore: DayBefore.meta()?.example,
    },
  })

export const getStoreSummary = defineOperation({
  id: 'getStoreSummary',
  method: 'get',
  path: '/store/summary',
  sdk: 'store.summary',
  tag: 'Orders',
  summary: 'Get a summary of the shop',
  description:
    'Returns the open orders, what happened to orders in the last hours, pets by status, how many pets are low or out of stock, the day before to compare with, and what needs attention: of the whole shop, in one request. The numbers are exact.',
  scope: 'orders:all',
  stability: 'beta',
  query: z.strictObject({
    hours: integerParam(1, hoursMax)
      .optional()
      .meta({ description: `How many hours to cover, with the current one; ${hoursDefault} by default.`, example: 24 }),
  }),
  responses: { 200: { description: 'The summary.', body: StoreSummary } },
})
