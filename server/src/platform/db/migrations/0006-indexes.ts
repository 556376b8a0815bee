import type { Migration } from '../migration.ts'

export const indexes: Migration = {
  name: 'indexes',
  buildIndexes: {
    // Pets of a category or a status by name: without these indexes, every page would read and sort all of them.
    pets_by_category_and_name: 'pets (category_id, name, id)',
    pets_by_status_and_name: 'pets (status, name, id)',
    // To find rotated secrets whose grace period has ended.
    api_key_secrets_ending: 'api_key_secrets (expires_at) WHERE expires_at IS NOT NULL',
  },
  // No index by quantity: in a shop that has sold much, most quantities are zero, so a page below a count fills quickly, and every order
  // would have to change the index.
  dropIndexes: ['inventory_by_quantity'],
}
