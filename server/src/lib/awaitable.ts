/** A value that is there, or a promise of one. On SQLite a read is done at once, and a promise would cost more than the read. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once where it is there, else when it comes. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Two values that were asked for together: at once where both are there. */
export const both = <A, B>(one: Awaitable<A>, other: Awaitable<B>): Awaitable<[A, B]> =>
  one instanceof Promise || other instanceof Promise ? Promise.all([one, other]) : [one, other]

/** The first of some rows. */
export const firstOf = <T>(rows: Awaitable<readonly T[]>): Awaitable<T | undefined> => after(rows, first)

const first = <T>(rows: readonly T[]): T | undefined => rows[0]
