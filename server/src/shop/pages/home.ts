import type { FirstCall, Home } from '../../platform/compose/content.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { petStatuses } from '../pets/status.ts'

const bars = [22, 34, 18, 46, 58, 40, 66, 52, 74, 60, 82, 70]
const rows = ['Thumper', 'Bella', 'Captain', 'Goldie']

/** The console, drawn: in the page's colours, light or dark, and sharp at any size. */
const consolePicture = `<svg class="console-picture" viewBox="0 0 640 400" role="img" aria-label="The console: navigation, a chart of orders, and a list of pets with their stock">
<rect class="ground" width="640" height="400" rx="12"/>
<path class="page" d="M12 0h616a12 12 0 0 1 12 12v28H0V12A12 12 0 0 1 12 0z"/>
<rect class="warm" x="16" y="11" width="18" height="18" rx="5"/><text class="strong" x="42" y="25">Pet Store</text>
<rect class="sunken" x="150" y="9" width="190" height="22" rx="6"/><text class="soft" x="162" y="24">Search or run a command</text>
${['Overview', 'Pets', 'Orders', 'Inventory', 'Webhooks']
  .map(
    (name, index) =>
      `${index === 0 ? '<rect class="accent-soft" x="10" y="54" width="116" height="26" rx="6"/>' : ''}<text class="${index === 0 ? 'accent' : 'soft'}" x="22" y="${72 + index * 30}">${name}</text>`,
  )
  .join('')}
<rect class="card" x="150" y="56" width="474" height="160" rx="8"/><text class="strong" x="166" y="80">Orders today</text>
${bars.map((height, index) => `<rect class="warm" x="${170 + index * 37}" y="${200 - height}" width="22" height="${height}" rx="3"/>`).join('')}
<rect class="card" x="150" y="230" width="474" height="154" rx="8"/>
${rows
  .map(
    (name, index) =>
      `<circle class="${index % 2 === 0 ? 'warm-soft' : 'accent-soft'}" cx="178" cy="${256 + index * 34}" r="11"/><text class="strong" x="198" y="${260 + index * 34}">${name}</text><rect class="accent-soft" x="400" y="${246 + index * 34}" width="64" height="20" rx="10"/><text class="accent" x="410" y="${260 + index * 34}">available</text><text class="soft" x="596" y="${260 + index * 34}">${4 - index}</text>`,
  )
  .join('')}
</svg>`

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
