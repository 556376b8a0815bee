import { describeCost } from '../describe-cost.ts'
import { session } from '../session.ts'

export function RequestCost({ requests }: { requests: number }) {
  const { store, status } = session.value ?? {}
  const windowOf = (name: string) =>
    store?.limits.last?.[name] ??
    status?.windows.find((one) => one.name === name) ?? { limit: Infinity, remaining: Infinity }
  return <p class="soft small">{describeCost(requests, windowOf('minute'), windowOf('day'))}</p>
}
