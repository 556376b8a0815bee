import { session, store } from './session.ts'

// Orders over time, counted per step: the API filters orders by when they were placed.

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const pagesMax = 10
const pageSize = 100
/** A key with fewer requests per minute counts fewer steps. */
const manyPerMinute = 300

/** A step is counted up to this. */
export const stepMax = pagesMax * pageSize

const known = new Map<number, number>()

async function countBetween(from: number, to: number, signal: AbortSignal): Promise<number> {
  const query = { placedFrom: new Date(from).toISOString(), placedTo: new Date(to).toISOString(), limit: pageSize }
  let count = 0
  let pages = 0
  for await (const { items } of store().store.orders.list(query, { signal }).pages()) {
    count += items.length
    if (++pages === pagesMax) break
  }
  return count
}

/** The orders of the last 24 hours, in steps of one or three hours. Past steps do not change, so they are counted once. */
export async function ordersByStep(signal: AbortSignal): Promise<{ times: number[]; counts: number[] }> {
  const perMinute = session.value?.status.windows.find(({ name }) => name === 'minute')?.limit ?? 0
  const stepMs = perMinute >= manyPerMinute ? hourMs : 3 * hourMs
  const last = Math.floor(Date.now() / stepMs) * stepMs
  const steps = dayMs / stepMs
  const times = Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs)
  const counts = await Promise.all(
    times.map(async (from) => {
      const isPast = from < last - stepMs
      const count = (isPast ? known.get(from) : undefined) ?? (await countBetween(from, from + stepMs, signal))
      if (isPast) known.set(from, count)
      return count
    }),
  )
  return { times, counts }
}
