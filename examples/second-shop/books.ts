import { ApiError } from '../../server/src/platform/api/errors.ts'
import { keyset, page } from '../../server/src/platform/api/list-page.ts'
import { type Call, created, ok, read, write } from '../../server/src/platform/api/operation.ts'
import type { Feature } from '../../server/src/platform/compose/feature.ts'
import { ascending } from '../../server/src/platform/db/clauses.ts'
import type { Queryable, Transaction } from '../../server/src/platform/db/database.ts'
import { findPage } from '../../server/src/platform/db/pages/find-page.ts'
import { withId } from '../../server/src/platform/db/table.ts'
import { recordEvent } from '../../server/src/platform/events/record.ts'
import { defineEvents } from '../../server/src/platform/events/types.ts'
import type { Id } from '../../server/src/platform/lib/int64.ts'
import * as operations from './operations.ts'

interface BookRow {
  id: number
  title: string
  reader: string | null
}

const { bookErrors } = operations
const bookEvents = defineEvents('book', ['added', 'lent', 'returned'])
const select = 'SELECT id, title, reader FROM books'
const sorts = { id: ascending({ id: 'integer' }) }

const showBook = ({ id, title, reader }: BookRow) => ({ id, title, ...(reader !== null && { reader }) })

async function getBook(db: Queryable, id: Id): Promise<BookRow> {
  const [book] = await db.query<BookRow>(`${select} WHERE id = $1`, [id])
  if (!book) throw new ApiError(bookErrors.book_not_found, `There is no book ${id}.`)
  return book
}

/** Locks a book and checks the request's If-Match. */
async function lockMatchingBook(tx: Transaction, { mustMatch }: Call, id: Id): Promise<BookRow> {
  const lock = tx.dialect.lockRows('books', '= $1')
  if (lock !== undefined) tx.send(lock, [id])
  const book = await getBook(tx, id)
  mustMatch(showBook(book))
  return book
}

export async function addBook(tx: Transaction, call: Call, title: string): Promise<BookRow> {
  const [book] = await tx.query<BookRow>('INSERT INTO books (title) VALUES ($1) RETURNING id, title, reader', [title])
  recordEvent(tx, call, { type: bookEvents.added, data: showBook(book as BookRow) })
  return book as BookRow
}

async function lendBook(tx: Transaction, call: Call, id: Id, reader: string): Promise<BookRow> {
  const book = await lockMatchingBook(tx, call, id)
  if (book.reader !== null) throw new ApiError(bookErrors.book_lent, `Book ${id} is lent to ${book.reader}.`)
  return setReader(tx, call, book, reader, bookEvents.lent)
}

async function returnBook(tx: Transaction, call: Call, id: Id): Promise<BookRow> {
  const book = await lockMatchingBook(tx, call, id)
  if (book.reader === null) throw new ApiError(bookErrors.book_not_lent, `Book ${id} is not lent.`)
  return setReader(tx, call, book, null, bookEvents.returned)
}

function setReader(tx: Transaction, call: Call, before: BookRow, reader: string | null, type: string): BookRow {
  const book = { ...before, reader }
  tx.send('UPDATE books SET reader = $2 WHERE id = $1', [book.id, reader])
  recordEvent(tx, call, { type, data: showBook(book), before: showBook(before) })
  return book
}

export const books: Feature = {
  name: 'books',
  operations: operations.bookOperations,
  routes: [
    read(operations.listBooks, async (db, { query }) => {
      const pageQuery = keyset(operations.listBooks, query, sorts, 'id')
      return page(await findPage<BookRow>(db, { select }, pageQuery), pageQuery, showBook)
    }),
    write(operations.addBook, async (tx, input) => {
      const book = await addBook(tx, input, input.body.title)
      return created(showBook(book), `/books/${book.id}`)
    }),
    read(operations.getBook, async (db, { params }) => ok(showBook(await getBook(db, params.bookId)))),
    write(operations.lendBook, async (tx, input) =>
      ok(showBook(await lendBook(tx, input, input.params.bookId, input.body.reader))),
    ),
    write(operations.returnBook, async (tx, input) => ok(showBook(await returnBook(tx, input, input.params.bookId)))),
  ],
  errors: bookErrors,
  scopes: { 'books:read': 'Read books.', 'books:write': 'Add, lend and return books.' },
  events: [
    {
      resource: 'book',
      types: Object.values(bookEvents),
      audience: { scope: 'books:read', about: 'books' },
      data: operations.Book,
      example: operations.Book.meta()?.example,
    },
  ],
  tables: [withId('books')],
  tags: [{ name: 'Books', description: 'Books, and who has them.', parent: 'Library' }],
}
