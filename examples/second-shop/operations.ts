import { z } from 'zod'
import { defineErrors } from '../../server/src/platform/api/errors.ts'
import { pageOf, pageParams } from '../../server/src/platform/api/list-page.ts'
import { defineOperation } from '../../server/src/platform/api/operation.ts'
import { IdParam, ResponseId, text } from '../../server/src/platform/api/shapes.ts'

export const bookErrors = defineErrors({
  book_not_found: { status: 404, title: 'There is no book with this id.', advice: 'List the books to find its id.' },
  book_lent: { status: 409, title: 'The book is lent.', advice: 'Wait until it is returned, or lend another one.' },
  book_not_lent: { status: 409, title: 'The book is not lent.', advice: 'Read it again: someone returned it before.' },
})

const title = text(200).meta({ description: 'The title.', example: 'Middlemarch' })
const reader = text(100).meta({ description: 'Who has the book.', example: 'Dorothea' })

const NewBook = z.strictObject({ title }).meta({
  id: 'NewBook',
  description: 'The fields to add a book.',
  example: { title: 'Middlemarch' },
})

const Loan = z.strictObject({ reader }).meta({
  id: 'Loan',
  description: 'Who gets the book.',
  example: { reader: 'Dorothea' },
})

export const Book = z
  .object({ id: ResponseId.meta({ description: 'Assigned on creation.' }), title, reader: reader.optional() })
  .meta({
    id: 'Book',
    description: 'A book. `reader` is present while it is lent.',
    example: { id: 1, title: 'Middlemarch' },
  })

const BookPath = z.object({
  bookId: IdParam.meta({ description: 'The id of a book.', example: 1, parameter: 'BookId' }),
})

const tag = 'Books'

export const listBooks = defineOperation({
  id: 'listBooks',
  method: 'get',
  path: '/books',
  tag,
  summary: 'List books',
  description: 'Returns all books in pages.',
  scope: 'books:read',
  query: z.strictObject(pageParams),
  responses: { 200: { description: 'A page of books.', body: pageOf(Book) } },
})

export const addBook = defineOperation({
  id: 'addBook',
  method: 'post',
  path: '/books',
  tag,
  summary: 'Add a book',
  description: 'Adds a book that can be lent.',
  scope: 'books:write',
  body: NewBook,
  responses: { 201: { description: 'The book was added.', body: Book } },
  etag: true,
})

export const getBook = defineOperation({
  id: 'getBook',
  method: 'get',
  path: '/books/{bookId}',
  tag,
  summary: 'Get a book',
  description: 'Returns one book, and who has it.',
  scope: 'books:read',
  params: BookPath,
  responses: { 200: { description: 'The book.', body: Book } },
  errors: [bookErrors.book_not_found],
  etag: true,
})

export const lendBook = defineOperation({
  id: 'lendBook',
  method: 'post',
  path: '/books/{bookId}/lend',
  tag,
  summary: 'Lend a book',
  description: 'Gives a book to a reader. A book has one reader at a time.',
  scope: 'books:write',
  params: BookPath,
  body: Loan,
  responses: { 200: { description: 'The lent book.', body: Book } },
  errors: [bookErrors.book_not_found, bookErrors.book_lent],
  etag: true,
})

export const returnBook = defineOperation({
  id: 'returnBook',
  method: 'post',
  path: '/books/{bookId}/return',
  tag,
  summary: 'Return a book',
  description: 'Takes a book back, so that it can be lent again.',
  scope: 'books:write',
  params: BookPath,
  responses: { 200: { description: 'The returned book.', body: Book } },
  errors: [bookErrors.book_not_found, bookErrors.book_not_lent],
  etag: true,
})

export const bookOperations = [listBooks, addBook, getBook, lendBook, returnBook]
