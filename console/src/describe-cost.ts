/** The share of each limit that long tasks leave for what the user does meanwhile. */
export const shareForUser = 0.1

interface Limit {
  readonly limit: number
  readonly remaining: number
}

const number = (value: number): string => value.toLocaleString()

/** How many of the key's requests a large task takes, even in batches, and how long it takes if one minute's requests are not enough. */
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
    text.push(`. Only ${number(leftToday)} are left for it today, so not all of it can be done today`)
  return `${text.join('')}.`
}
