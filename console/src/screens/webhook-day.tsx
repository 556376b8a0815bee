import type { Delivery, DeliveryAttempt } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay, number } from '../parts/time.tsx'
import { store } from '../session.ts'

const hourMs = 3_600_000
const hours = 24
/** The service does not count attempts, so the newest deliveries are read, up to this many. */
const deliveriesMax = 500

interface Day {
  readonly attempts: readonly DeliveryAttempt[]
  readonly isCut: boolean
}

async function loadDay(webhookId: number, signal: AbortSignal): Promise<Day> {
  const since = Date.now() - hours * hourMs
  const found: Delivery[] = []
  for await (const delivery of store().webhooks.deliveries(webhookId, { limit: 100 }, { signal })) {
    if (Date.parse(delivery.createdAt) < since) break
    found.push(delivery)
    if (found.length === deliveriesMax) break
  }
  return { attempts: found.flatMap(({ attempts }) => attempts), isCut: found.length === deliveriesMax }
}

const isSuccess = ({ status }: DeliveryAttempt): boolean => status !== null && status >= 200 && status < 300

/** The value below which that share of the values lies. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** How well the receiver did in the last day. Loads again when `changes` counts up. */
export function WebhookDay({ webhookId, changes }: { webhookId: number; changes: number }) {
  const day = useLoad(String(webhookId), (signal) => loadDay(webhookId, signal), changes)
  return (
    <Card id="day" title="Last 24 hours">
      <Show of={day}>
        {({ attempts, isCut }) =>
          attempts.length === 0 ? (
            <p class="soft">Nothing was sent in the last 24 hours.</p>
          ) : (
            <>
              <Rates attempts={attempts} />
              <ByHour attempts={attempts} />
              {isCut && <p class="soft small">Of the latest {number(deliveriesMax)} deliveries.</p>}
            </>
          )
        }
      </Show>
    </Card>
  )
}

function Rates({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const latencies = attempts.map(({ latencyMs }) => latencyMs)
  const succeeded = attempts.filter(isSuccess).length
  return (
    <Facts>
      <Fact name="Success">
        {Math.floor((succeeded / attempts.length) * 100)} %, {number(succeeded)} of {number(attempts.length)} attempts
      </Fact>
      <Fact name="Latency">
        half within {number(quantile(latencies, 0.5))} ms, 95 % within {number(quantile(latencies, 0.95))} ms
      </Fact>
    </Facts>
  )
}

function ByHour({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const last = Math.floor(Date.now() / hourMs) * hourMs
  const times = Array.from({ length: hours }, (_, index) => last - (hours - 1 - index) * hourMs)
  const count = (isCounted: (attempt: DeliveryAttempt) => boolean) =>
    times.map(
      (from) =>
        attempts.filter(({ time, ...rest }) => {
          const at = Date.parse(time)
          return at >= from && at < from + hourMs && isCounted({ time, ...rest })
        }).length,
    )
  const succeeded = count(isSuccess)
  const failed = count((attempt) => !isSuccess(attempt))
  return (
    <Chart
      label="Attempts by hour"
      times={times}
      series={[
        { name: 'succeeded', color: 'accent', values: succeeded },
        {
          name: 'failed',
          color: 'red',
          values: failed,
          heights: failed.map((value, index) => value + (succeeded[index] ?? 0)),
        },
      ]}
      formatTime={formatTimeOfDay}
    />
  )
}
