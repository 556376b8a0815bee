import type { FirstCall, Home, HomePicture } from '../../platform/compose/content.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { petStatuses } from '../pets/status.ts'
import { readPicture } from './read-picture.ts' with { type: 'macro' }

const size = { width: 1376, height: 780 }

/** Taken by `npm run pictures -- --home`. */
const pictures: readonly HomePicture[] = [
  {
    name: 'overview',
    alt: 'The overview of the console: orders of the last day, and what needs attention',
    title: 'A console',
    text: 'Orders, stock, keys and webhooks at a glance.',
    ...size,
    light: readPicture('overview-light'),
    dark: readPicture('overview-dark'),
  },
  {
    name: 'report',
    alt: 'The report on a client: each rule with its verdict, and the requests that show it',
    title: 'A report on your client',
    text: 'A sandbox is a private shop that fails on demand. It tells how your client retries, waits and edits, with the requests that show it.',
    ...size,
    light: readPicture('report-light'),
    dark: readPicture('report-dark'),
  },
]

async function countShop(db: Queryable, max: number): Promise<number[]> {
  const [row] = await db.query<{ available: number; categories: number }>(
    `SELECT (SELECT count(*) FROM (SELECT 1 FROM pets WHERE status = 'available' LIMIT $1) AS seen) AS available,
            (SELECT count(*) FROM (SELECT 1 FROM categories LIMIT $1) AS seen) AS categories`,
    [max],
  )
  return [row?.available ?? 0, row?.categories ?? 0]
}

export const home: Home = {
  headline: 'An API to test your client against',
  lead: 'And a small shop that never oversells: catalogue, orders and stock, for your programs and in your browser.',
  pictures,
  figures: { names: ['pets available', 'categories'], count: countShop },
}

export const firstCall: FirstCall = {
  operation: 'listPets',
  about: 'Three pets that are for sale.',
  fields: [
    { name: 'status', label: 'Status', value: 'available', options: petStatuses },
    { name: 'limit', label: 'How many', value: '3', isBare: true },
  ],
}
