import type { FirstCall, Home } from '../../platform/compose/content.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { petStatuses } from '../pets/status.ts'
import { consolePicture } from './console-picture.ts'

async function countShop(db: Queryable, max: number): Promise<number[]> {
  const [row] = await db.query<{ available: number; categories: number }>(
    `SELECT (SELECT count(*) FROM (SELECT 1 FROM pets WHERE status = 'available' LIMIT $1) AS seen) AS available,
            (SELECT count(*) FROM (SELECT 1 FROM categories LIMIT $1) AS seen) AS categories`,
    [max],
  )
  return [row?.available ?? 0, row?.categories ?? 0]
}

export const home: Home = {
  headline: 'Run a pet shop over HTTP',
  lead: 'Catalogue, orders and stock that never disagree, for your programs and in your browser.',
  picture: consolePicture,
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
