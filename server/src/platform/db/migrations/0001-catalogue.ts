import { bothEngines } from './words.ts'

export const catalogue = bothEngines('catalogue', ({ id, integer, text, tableOptions, substringIndex }) => [
  // The migrations that have run; without this table, none.
  `CREATE TABLE schema_versions (version ${integer} PRIMARY KEY, name ${text} NOT NULL, applied_at ${integer} NOT NULL) ${tableOptions}`,

  `CREATE TABLE categories (
    id ${id},
    name ${text} NOT NULL,
    name_folded ${text} NOT NULL,
    description ${text}
  ) ${tableOptions}`,
  'CREATE INDEX categories_by_name ON categories (name, id)',
  ...substringIndex('categories', 'name_folded'),

  `CREATE TABLE pets (
    id ${id},
    name ${text} NOT NULL,
    name_folded ${text} NOT NULL,
    category_id ${integer} NOT NULL REFERENCES categories (id),
    status ${text} NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    held ${integer} NOT NULL DEFAULT 0 CHECK (held IN (0, 1))
  ) ${tableOptions}`,
  'CREATE INDEX pets_by_name ON pets (name, id)',
  'CREATE INDEX pets_by_category ON pets (category_id, id)',
  'CREATE INDEX pets_by_status ON pets (status, id)',
  ...substringIndex('pets', 'name_folded'),
])
