import type { StoreSummary } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Show } from '../parts/states.tsx'
import { formatDay, formatTimeOfDay, formatUtcDay } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'
import { daysUntil, entriesOf, shownRange } from './dashboard-range.ts'

const hourMs = 3_600_000

/** New orders by hour or day, and how many orders were completed and cancelled in each. */
export function OrdersChart({ summary }: { summary: StoreSummary }) {
  const range = shownRange()
  const { entries } = entriesOf(summary, range)
  const starts = entries.map(({ from }) => Date.parse(from))
  const isByDay = summary.days !== undefined
  // The last of the days ends with the current hour.
  const end = (starts.at(-1) ?? 0) + 24 * hourMs
  return (
    <Card id="orders" title="Orders" aside={<a href={hrefOf('/orders')}>Show orders</a>}>
      <Chart
        label={
          isByDay
            ? `Orders per day, each up to ${formatTimeOfDay(end)}, ${range.during}`
            : `Orders per hour, ${range.during}`
        }
        times={isByDay ? daysUntil((starts.at(-1) ?? 0) + 23 * hourMs, starts.length) : starts}
        series={[
          { name: 'new', color: 'blue', values: entries.map(({ placed }) => placed) },
          { name: 'completed', color: 'accent', values: entries.map(({ completed }) => completed), isApart: true },
          { name: 'cancelled', color: 'red', values: entries.map(({ cancelled }) => cancelled), isApart: true },
        ]}
        formatTime={isByDay ? formatDay : formatTimeOfDay}
        {...(isByDay && { timeName: 'Day' })}
      />
    </Card>
  )
}

/** The requests of all keys, or of the user's key. */
export function RequestsChart() {
  const isManager = hasScope('keys:manage')
  const range = shownRange()
  const isByDay = range.query.days !== undefined
  const usage = useLoad(
    String(isByDay),
    (signal) => store().usage.get({ per: isByDay ? 'day' : 'hour', ...(isManager && { allKeys: true }) }, { signal }),
    useRefresh(10_000),
  )
  return (
    <Card id="requests" title={isManager ? 'Requests' : 'Requests of your key'}>
      <Show of={usage}>
        {(all) => {
          const entries = all.slice(-range.shown)
          return (
            <Chart
              label={isByDay ? `Requests per day (UTC), ${range.during}` : `Requests per hour, ${range.during}`}
              times={entries.map(({ from }) => Date.parse(from))}
              series={usageSeries(entries)}
              formatTime={isByDay ? formatUtcDay : formatTimeOfDay}
              {...(isByDay && { timeName: 'Day' })}
            />
          )
        }}
      </Show>
    </Card>
  )
}
