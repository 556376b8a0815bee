import type { Migration } from '../migration.ts'

export const indexes: Migration = {
  name: 'indexes',
  buildIndexes: {
    // Pets of a category or a status by name: without these all of them are read and sorted for every page.
    pets_by_category_and_name: 'pets (category_id, name, id)',
    pets_by_status_and_name: 'pets (status, name, id)',
    // Secrets that were rotated away are looked for when their time is over.
    api_key_secrets_ending: 'api_key_secrets (expires_at) WHERE expires_at IS NOT NULL',
  },
  // Most entries of a shop that has sold much are at zero: a page of those below a count fills quickly without an index, which
  // every order would have to change.
  dropIndexes: ['inventory_by_quantity'],
}
