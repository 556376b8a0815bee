/** The share of each limit that long tasks leave for what the user does meanwhile. */
export const shareForUser = 0.1

interface Limit {
  readonly limit: number
  readonly remaining: number
}

const number = (value: number): string => value.toLocaleString()

/** What a large task takes of the requests of the user's key, also if it sends batches, and how long if a minute holds too few. */
export function describeCost(requests: number, minute: Limit, day: Limit): string {
  const forUser = Math.ceil(minute.limit * shareForUser)
  const perMinute = Math.max(1, minute.limit - forUser)
  const leftToday = Math.max(0, Math.floor(day.remaining - day.limit * shareForUser))
  const minutes = Math.ceil(requests / perMinute)
  const text = [`Takes ${number(requests)} of your requests`]
  if (minutes > 1) {
    text.push(`, about ${number(minutes)} minutes at ${number(perMinute)} a minute.`)
    text.push(` That leaves ${number(forUser)} a minute for you, and none for programs that use this key too:`)
    text.push(' sign in with a separate key for a task this large')
  }
  if (requests > leftToday)
    text.push(`. Only ${number(leftToday)} of today are left for it, so not all of it can be done today`)
  return `${text.join('')}.`
}
