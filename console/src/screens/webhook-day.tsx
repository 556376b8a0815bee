import type { Delivery, DeliveryAttempt } from '@petstore/sdk'
import { countByHour, ratesOf } from '../delivery-figures.ts'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay, number } from '../parts/time.tsx'
import { store } from '../session.ts'

const dayMs = 86_400_000
/** The service does not count attempts, so the newest deliveries are read, up to this many. */
const deliveriesMax = 500

interface Day {
  readonly attempts: readonly DeliveryAttempt[]
  readonly isCut: boolean
}

/** A delivery is tried for about so long. */
const triedMs = 4 * dayMs

async function loadDay(webhookId: number, signal: AbortSignal): Promise<Day> {
  const now = Date.now()
  const found: Delivery[] = []
  for await (const delivery of store().webhooks.deliveries(webhookId, { limit: 100 }, { signal })) {
    if (Date.parse(delivery.createdAt) < now - triedMs) break
    found.push(delivery)
    if (found.length === deliveriesMax) break
  }
  const attempts = found.flatMap(({ attempts }) => attempts).filter(({ time }) => Date.parse(time) >= now - dayMs)
  return { attempts, isCut: found.length === deliveriesMax }
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
  const { succeeded, percent, halfMs, mostMs } = ratesOf(attempts)
  return (
    <Facts>
      <Fact name="Success">
        {percent} %, {number(succeeded)} of {number(attempts.length)} attempts
      </Fact>
      <Fact name="Latency">
        half within {number(halfMs)} ms, 95 % within {number(mostMs)} ms
      </Fact>
    </Facts>
  )
}

function ByHour({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const { times, succeeded, failed } = countByHour(attempts, Date.now())
  return (
    <Chart
      label="Attempts by hour"
      times={times}
      series={[
        { name: 'succeeded', color: 'accent', values: succeeded },
        { name: 'failed', color: 'red', values: failed },
      ]}
      formatTime={formatTimeOfDay}
    />
  )
}
