import { z } from 'zod'
import { defineOperation } from '../../platform/api/operation.ts'
import { Count, integerParam, namedShape, ResponseDateTime } from '../../platform/api/shapes.ts'

/** The longest time that a summary covers. */
const hoursMax = 168
export const hoursDefault = 24
/** As many days again are read to compare with, and hours are kept for 90 days. */
const daysMax = 30
/** How many keys and webhooks that need attention are listed. */
export const attentionMax = 10

const counts = {
  placed: Count.meta({ description: 'Orders placed.' }),
  completed: Count.meta({ description: 'Orders completed.' }),
  cancelled: Count.meta({ description: 'Orders cancelled.' }),
  unitsSold: Count.meta({ description: 'Units in the orders that were completed.' }),
}

const OrderHour = z
  .object({ from: ResponseDateTime.meta({ description: 'Start of the hour (UTC).' }), ...counts })
  .meta({
    id: 'OrderHour',
    description: 'What happened to orders in one hour.',
    example: { from: '2026-11-15T12:00:00.000Z', placed: 3, completed: 2, cancelled: 0, unitsSold: 5 },
  })

const OrderDay = z.object({ from: ResponseDateTime.meta({ description: 'Start of the 24 hours.' }), ...counts }).meta({
  id: 'OrderDay',
  description: 'What happened to orders in 24 hours.',
  example: { from: '2026-11-14T13:00:00.000Z', placed: 31, completed: 28, cancelled: 2, unitsSold: 44 },
})

const DayBefore = z
  .object({
    openOrders: Count.meta({ description: 'Orders that were not complete.' }),
    available: Count.meta({ description: 'Pets that were available.' }),
    lowStock: Count.optional().meta({
      description: 'Pets whose stock was low; absent if `lowStockMax` has changed since.',
    }),
  })
  .meta({
    id: 'DayBefore',
    description: 'The state of the shop when the same hour of the day before began.',
    example: { openOrders: 3, available: 7, lowStock: 2 },
  })

const DaysBefore = z
  .object({
    ...DayBefore.shape,
    unitsSold: Count.optional().meta({
      description: 'Units sold in as many days before; absent if the shop did not exist for all of them.',
    }),
  })
  .meta({
    id: 'DaysBefore',
    description:
      'The state of the shop when the same hour began as many days before, and what was sold in as many days before the `days`.',
    example: { openOrders: 3, available: 7, lowStock: 2, unitsSold: 41 },
  })

const StoreSummary = z
  .object({
    openOrders: Count.meta({ description: 'Orders that are not complete.' }),
    hours: z
      .array(OrderHour)
      .max(hoursMax)
      .meta({ description: 'An entry for every hour, oldest first. The last one is the current hour.' }),
    petsByStatus: z.object({ available: Count, pending: Count, sold: Count }).meta({ description: 'Pets by status.' }),
    lowStockMax: Count.meta({ description: 'The count up to which stock is low: a setting of the shop.' }),
    lowStock: Count.meta({ description: 'Pets with at most `lowStockMax` in stock, including those with none.' }),
    outOfStock: Count.meta({ description: 'Pets with none in stock.' }),
    dayBefore: DayBefore.optional().meta({
      description: 'The day before, to compare with; absent if it was not recorded.',
    }),
    days: z.array(OrderDay).max(daysMax).optional().meta({
      description:
        'With the parameter `days`: an entry for every 24 hours, oldest first. The last one ends with the current hour.',
    }),
    daysBefore: DaysBefore.optional().meta({
      description: 'With the parameter `days`: what to compare them with; absent if it was not recorded.',
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
      lowStockMax: 2,
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
    'Returns the whole shop in figures: open orders, what happened to orders in the last hours and, if asked for, days, pets by status, how many pets are low or out of stock, the day before to compare with, and what needs attention. The numbers are exact.',
  scope: 'orders:all',
  stability: {
    level: 'beta',
    reason: 'Made for the overview of the console; which figures other clients need is not known yet.',
  },
  query: z.strictObject({
    hours: integerParam(1, hoursMax)
      .optional()
      .meta({ description: `How many hours to cover, with the current one; ${hoursDefault} by default.`, example: 24 }),
    days: integerParam(1, daysMax).optional().meta({
      description: 'How many days to cover as well, each of 24 hours, with the same time before them.',
      example: 7,
    }),
  }),
  responses: { 200: { description: 'The summary.', body: StoreSummary } },
})
