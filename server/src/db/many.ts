const portions = [100, 10]

/** Splits rows for statements that take a hundred at once, ten, or the fewer that are left: eleven texts to prepare at most. */
export function* byHundreds<T>(rows: readonly T[]): Generator<T[]> {
  let next = 0
  for (const size of portions) {
    for (; next + size <= rows.length; next += size) yield rows.slice(next, next + size)
  }
  if (next < rows.length) yield rows.slice(next)
}

/** `$1, $2, $3`: this many placeholders, from the given one on. */
export const placeholderList = (count: number, first = 1): string =>
  Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ')

/** `($1, $2), ($3, $4)`: the placeholders of this many rows. */
export const placeholders = (rows: number, columns: number): string =>
  Array.from({ length: rows }, (_, index) => `(${placeholderList(columns, index * columns + 1)})`).join(', ')
