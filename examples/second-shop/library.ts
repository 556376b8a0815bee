import { defineShop } from '../../server/src/platform/compose/shop.ts'
import { platformTables } from '../../server/src/platform/db/migrations/0001-platform.ts'
import { bothEngines } from '../../server/src/platform/db/migrations/words.ts'
import { addBook, books } from './books.ts'

/** A library: another service on the platform of the pet store. */
export const library = defineShop({
  name: 'library',
  title: 'Library',
  version: '1.0.0',
  summary: 'A library service: books that are lent, over HTTP.',
  agentSummary: 'An HTTP API for a library: books that are lent.',
  toolSummary: 'Tools for a library: books, API keys, limits, events and webhooks.',
  introduction: 'This service manages books and who has them.',
  home: { headline: 'Lend books over HTTP', lead: 'Every book has one reader at a time.' },
  firstCall: {
    operation: 'listBooks',
    about: 'Three books.',
    fields: [{ name: 'limit', label: 'How many', value: '3', isBare: true }],
  },
  features: [books],
  groups: [{ name: 'Library', description: 'Books.' }],
  presets: { reader: ['books:read'], librarian: ['books:read', 'books:write', 'webhooks:manage'] },
  examples: { preset: 'reader', events: ['book.*'] },
  migrations: [
    platformTables,
    bothEngines('books', ({ id, text, tableOptions }) => [
      `CREATE TABLE books (id ${id}, title ${text} NOT NULL, reader ${text}) ${tableOptions}`,
    ]),
  ],
  async loadSample(tx, call) {
    for (const title of ['Middlemarch', 'Dracula', 'The Trial']) await addBook(tx, call, title)
  },
})
