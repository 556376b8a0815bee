import type { DeliveryAttempt } from '@petstore/sdk'

// How well the receiver of a webhook did, judged by the delivery attempts.

const hourMs = 3_600_000
const hours = 24

const isSuccess = ({ status }: DeliveryAttempt): boolean => status !== null && status >= 200 && status < 300

/** The value below which this share of the values lies; the share is less than 1. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}

export function ratesOf(attempts: readonly DeliveryAttempt[]) {
  const latencies = attempts.map(({ latencyMs }) => latencyMs)
  const succeeded = attempts.filter(isSuccess).length
  return {
    succeeded,
    percent: Math.floor((succeeded / attempts.length) * 100),
    halfMs: quantile(latencies, 0.5),
    mostMs: quantile(latencies, 0.95),
  }
}

/** Counts the attempts in each of the last 24 hours, which end with the current one. */
export function countByHour(attempts: readonly DeliveryAttempt[], now: number) {
  const hourOf = (ms: number) => Math.floor(ms / hourMs) * hourMs
  const times = Array.from({ length: hours }, (_, index) => hourOf(now) - (hours - 1 - index) * hourMs)
  const count = (isCounted: (attempt: DeliveryAttempt) => boolean) =>
    times.map(
      (from) => attempts.filter((attempt) => hourOf(Date.parse(attempt.time)) === from && isCounted(attempt)).length,
    )
  return {
    times,
    succeeded: count(isSuccess),
    failed: count((attempt) => !isSuccess(attempt)),
  }
}
