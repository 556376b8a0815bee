import { describeCost } from '../describe-cost.ts'
import { session } from '../session.ts'

export function RequestCost({ requests, isAtMost = false }: { requests: number; isAtMost?: boolean }) {
  const { store, status } = session.value ?? {}
  const windowOf = (name: string) => store?.limits.last?.[name] ?? status?.windows.find((one) => one.name === name)
  const perMinute = windowOf('minute')?.limit ?? requests
  const leftToday = windowOf('day')?.remaining ?? requests
  return <p class="soft small">{describeCost({ requests, isAtMost, perMinute, leftToday })}</p>
}
