import description from '../../../openapi.json' with { type: 'text' }
import manifest from '../../../package.json' with { type: 'json' }
import { defineShop } from '../platform/compose/shop.ts'
import { platformTables } from '../platform/db/migrations/0001-platform.ts'
import { categories } from './categories/feature.ts'
import { guides } from './guides/tree.ts'
import { inventory } from './inventory/feature.ts'
import { shopTables } from './migrations/0001-shop.ts'
import { orders } from './orders/feature.ts'
import { firstCall, home } from './pages/home.ts'
import { statusPicture } from './pages/state-pictures.ts'
import { agentNotes, introduction, statusSection } from './pages/texts.ts'
import { pets } from './pets/feature.ts'
import { statusDiagram } from './pets/status-diagram.ts'
import { prompts } from './prompts.ts'
import { loadSample, sampleAgeMs } from './sample/load.ts'
import { settings } from './settings/feature.ts'
import { summary } from './summary/feature.ts'

/** The pet shop: its features, in the order of the reference, and its texts. */
export const petShop = defineShop({
  name: 'petstore',
  title: 'Pet Store',
  version: manifest.version,
  summary: 'A pet store service: catalogue, orders and stock over HTTP.',
  agentSummary: 'An HTTP API for a pet shop: catalogue, categories, orders and stock.',
  toolSummary: 'Tools for a pet shop: catalogue, categories, orders, stock, API keys, limits, events and webhooks.',
  features: [pets, categories, orders, summary, inventory, settings],
  groups: [
    { name: 'Pets', description: 'The catalogue: pets and their categories.' },
    { name: 'Store', description: 'Orders, and the stock of each pet.' },
  ],
  presets: {
    reader: ['pets:read', 'inventory:read'],
    client: ['pets:read', 'inventory:read', 'orders:read', 'orders:write', 'webhooks:manage'],
    staff: [
      'pets:read',
      'pets:write',
      'inventory:read',
      'inventory:write',
      'orders:read',
      'orders:write',
      'orders:all',
      'webhooks:manage',
    ],
  },
  examples: { preset: 'client', events: ['order.*', 'inventory.depleted'] },
  // Those of the platform and of the shop, in the order of their release. A released migration never changes; a new one follows it.
  migrations: [platformTables, shopTables],
  loadSample,
  sampleAgeMs,
  introduction,
  sections: [statusSection],
  diagrams: [{ mermaid: statusDiagram(), picture: statusPicture }],
  // Imported as text, although TypeScript takes a .json file for an object.
  description: String(description),
  agentNotes,
  prompts,
  home,
  firstCall,
  guides,
  hasConsole: true,
})
