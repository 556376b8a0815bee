const rowsAtOnce = 100

/** Splits rows for statements that take a hundred at once or one: two texts to prepare, however many rows there are. */
export function* byHundreds<T>(rows: readonly T[]): Generator<T[]> {
  let next = 0
  while (next + rowsAtOnce <= rows.length) {
    yield rows.slice(next, next + rowsAtOnce)
    next += rowsAtOnce
  }
  for (const row of rows.slice(next)) yield [row]
}

/** `($1, $2), ($3, $4)`: the placeholders of this many rows. */
export function placeholders(rows: number, columns: number): string {
  const row = (first: number) => Array.from({ length: columns }, (_, column) => `$${first + column}`).join(', ')
  return Array.from({ length: rows }, (_, index) => `(${row(index * columns + 1)})`).join(', ')
}
