/** A value that is there, or a promise of one. On SQLite a read is done at once, and a promise would cost more than the read. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once where it is there, else when it comes. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** The same with two values that were asked for together, so that neither fails unheard. */
export function afterBoth<A, B, U>(
  one: Awaitable<A>,
  other: Awaitable<B>,
  next: (one: A, other: B) => Awaitable<U>,
): Awaitable<U> {
  return one instanceof Promise || other instanceof Promise ? onceBothCame(one, other, next) : next(one, other)
}

async function onceBothCame<A, B, U>(one: Awaitable<A>, other: Awaitable<B>, next: (one: A, other: B) => Awaitable<U>) {
  return next(...(await Promise.all([one, other])))
}

/** The first of some rows. */
export const firstOf = <T>(rows: Awaitable<readonly T[]>): Awaitable<T | undefined> => after(rows, first)

const first = <T>(rows: readonly T[]): T | undefined => rows[0]
