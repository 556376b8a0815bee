import type { StoreSummary } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'
import { shownHours } from './dashboard-figures.tsx'

/** What happened to orders, hour by hour. */
export function OrdersChart({ summary }: { summary: StoreSummary }) {
  const hours = summary.hours.slice(-shownHours)
  return (
    <Card id="orders" title="Orders" aside={<a href={hrefOf('/orders')}>Show orders</a>}>
      <Chart
        label="Orders, last 24 hours"
        times={hours.map(({ from }) => Date.parse(from))}
        series={[
          { name: 'placed', color: 'blue', values: hours.map(({ placed }) => placed) },
          {
            name: 'cancelled',
            color: 'red',
            values: hours.map(({ cancelled }) => cancelled),
            heights: hours.map(({ placed, completed, cancelled }) => placed + completed + cancelled),
          },
          {
            name: 'completed',
            color: 'accent',
            values: hours.map(({ completed }) => completed),
            heights: hours.map(({ placed, completed }) => placed + completed),
          },
        ]}
        formatTime={formatTimeOfDay}
      />
    </Card>
  )
}

/** The requests of all keys, or of the user's key. */
export function RequestsChart() {
  const isManager = hasScope('keys:manage')
  const usage = useLoad(
    '',
    (signal) => store().usage.get(isManager ? { allKeys: true } : {}, { signal }),
    useRefresh(10_000),
  )
  return (
    <Card id="requests" title={isManager ? 'Requests' : 'Requests of your key'}>
      <Show of={usage}>
        {(entries) => (
          <Chart
            label="Requests, last 24 hours"
            times={entries.map(({ from }) => Date.parse(from))}
            series={usageSeries(entries)}
            formatTime={formatTimeOfDay}
          />
        )}
      </Show>
    </Card>
  )
}
