interface Cost {
  readonly requests: number
  readonly isAtMost: boolean
  /** What the user's key may send in a minute, and has left today. */
  readonly perMinute: number
  readonly leftToday: number
}

/** What a large task costs the user's key, and how long it takes if that is more than a minute holds. */
export function describeCost({ requests, isAtMost, perMinute, leftToday }: Cost): string {
  const minutes = Math.ceil(requests / perMinute)
  const count = requests === 1 ? '1 request' : `${requests.toLocaleString()} requests`
  const duration = `, about ${minutes.toLocaleString()} minutes at ${perMinute.toLocaleString()} a minute`
  const lack = ` It has ${leftToday.toLocaleString()} left today, so not all of it can be done today.`
  return `Costs your key ${isAtMost ? 'at most ' : ''}${count}${minutes > 1 ? duration : ''}.${requests > leftToday ? lack : ''}`
}
