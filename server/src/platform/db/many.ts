const batchSizes = [100, 10]

/** Splits rows into batches of 100, 10 and the rest, so that a statement has at most eleven prepared forms. */
export function* byHundreds<T>(rows: readonly T[]): Generator<T[]> {
  let next = 0
  for (const size of batchSizes) {
    for (; next + size <= rows.length; next += size) yield rows.slice(next, next + size)
  }
  if (next < rows.length) yield rows.slice(next)
}

/** `$1, $2, $3`: this many placeholders, starting at `first`. */
export const placeholderList = (count: number, first = 1): string =>
  Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ')

/** `($1, $2), ($3, $4)`: the placeholders of this many rows. */
export const placeholders = (rows: number, columns: number): string =>
  Array.from({ length: rows }, (_, index) => `(${placeholderList(columns, index * columns + 1)})`).join(', ')
