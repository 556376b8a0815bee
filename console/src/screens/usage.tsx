import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Filter } from '../parts/filter.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { param } from '../router.ts'
import { store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'

const formatDay = (ms: number) => new Date(ms).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })

/** The usage of a key, by hour or by day. */
export function UsageCard({ keyId }: { keyId: number }) {
  const per = param('per') === 'day' ? 'day' : 'hour'
  const tick = useRefresh()
  const usage = useLoad(`${keyId} ${per}`, (signal) => store().usage.get({ keyId, per }, { signal }), tick)
  return (
    <Card
      id="usage"
      title="Usage"
      wide
      aside={
        <Filter
          label="Usage by"
          name="per"
          otherwise="the last 24 hours"
          choices={[['day', 'the last 30 days']]}
          small
        />
      }
    >
      <Show of={usage}>
        {(entries) => (
          <Chart
            label={per === 'hour' ? 'Requests per hour' : 'Requests per day'}
            times={entries.map(({ from }) => Date.parse(from))}
            series={usageSeries(entries)}
            formatTime={per === 'hour' ? formatTimeOfDay : formatDay}
          />
        )}
      </Show>
    </Card>
  )
}
