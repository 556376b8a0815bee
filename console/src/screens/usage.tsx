import type { ApiKey } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Filter } from '../parts/filter.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay, formatUtcDay, number } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { param } from '../router.ts'
import { store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'

/** The usage of a key, by hour or by day. */
export function UsageCard({ keyId, limits }: { keyId: number; limits: ApiKey['limits'] }) {
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
            label={`Requests per ${per === 'day' ? 'day (UTC)' : 'hour'}; limited above ${number(limits.perMinute)} a minute and ${number(limits.perDay)} a day`}
            times={entries.map(({ from }) => Date.parse(from))}
            series={usageSeries(entries)}
            formatTime={per === 'hour' ? formatTimeOfDay : formatUtcDay}
          />
        )}
      </Show>
    </Card>
  )
}
