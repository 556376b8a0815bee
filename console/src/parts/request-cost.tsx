import { session } from '../session.ts'
import { number } from './time.tsx'

/** What a large task costs the user's key, and how long it takes if that is more than a minute holds. */
export function RequestCost({ requests, isAtMost = false }: { requests: number; isAtMost?: boolean }) {
  const { store, status } = session.value ?? {}
  const windowOf = (name: string) => store?.limits.last?.[name] ?? status?.windows.find((one) => one.name === name)
  const perMinute = windowOf('minute')?.limit ?? requests
  const leftToday = windowOf('day')?.remaining ?? requests
  const minutes = Math.ceil(requests / perMinute)
  return (
    <p class="soft small">
      Costs your key {isAtMost && 'at most '}
      {requests === 1 ? '1 request' : `${number(requests)} requests`}
      {minutes > 1 && `, about ${number(minutes)} minutes at ${number(perMinute)} a minute`}.
      {requests > leftToday && ` It has ${number(leftToday)} left today, so not all of it can be done today.`}
    </p>
  )
}
