import { bothEngines } from './words.ts'

export const indexes = bothEngines('indexes', ({ keepWritersOut }) => [
  // Orders lock a pet, then change the inventory: without this they and the statements below would wait for each other.
  ...keepWritersOut('pets'),

  // Pets of a category or a status by name: without these all of them are read and sorted for every page.
  'CREATE INDEX pets_by_category_and_name ON pets (category_id, name, id)',
  'CREATE INDEX pets_by_status_and_name ON pets (status, name, id)',

  // Most entries of a shop that has sold much are at zero: a page of those below a count fills quickly without an index, which
  // every order would have to change.
  'DROP INDEX inventory_by_quantity',

  // Secrets that were rotated away are looked for when their time is over.
  'CREATE INDEX api_key_secrets_ending ON api_key_secrets (expires_at) WHERE expires_at IS NOT NULL',
])
