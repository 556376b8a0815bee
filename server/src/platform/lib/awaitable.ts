/** A value or a promise of one. SQLite reads are synchronous, and a promise would cost more than the read. */
export type Awaitable<T> = T | Promise<T>

/** Calls `next` with the value: immediately if it is available, otherwise when the promise resolves. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Like `after`, for two values requested together. Awaits both, so neither rejection goes unhandled. */
export function afterBoth<A, B, U>(
  one: Awaitable<A>,
  other: Awaitable<B>,
  next: (one: A, other: B) => Awaitable<U>,
): Awaitable<U> {
  return one instanceof Promise || other instanceof Promise ? awaitBoth(one, other, next) : next(one, other)
}

async function awaitBoth<A, B, U>(one: Awaitable<A>, other: Awaitable<B>, next: (one: A, other: B) => Awaitable<U>) {
  return next(...(await Promise.all([one, other])))
}

/** The first row, if any. */
export const firstOf = <T>(rows: Awaitable<readonly T[]>): Awaitable<T | undefined> => after(rows, first)

const first = <T>(rows: readonly T[]): T | undefined => rows[0]
