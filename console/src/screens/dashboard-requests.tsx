import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Filter } from '../parts/filter.tsx'
import { Show } from '../parts/states.tsx'
import { formatTimeOfDay } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { lastMinutes, recordHours, sumUsage } from '../request-minutes.ts'
import { param } from '../router.ts'
import { hasScope, session, store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'

const keysMax = 10
/** The user's key needs this many requests per minute for each key that is counted. */
const perKeyMin = 100

/** The keys to count: the user's own; for a key manager, the most recently used ones. */
async function loadKeysInUse(signal: AbortSignal): Promise<number[]> {
  const own = session.value?.status.keyId ?? 0
  if (!hasScope('keys:manage')) return [own]
  const perMinute = session.value?.status.windows[0]?.limit ?? 0
  const max = Math.max(1, Math.min(keysMax, Math.floor(perMinute / perKeyMin)))
  const { items } = await store().keys.list({ limit: 100, sort: '-id' }, { signal }).firstPage()
  const used = items
    .filter(({ lastUsedAt }) => lastUsedAt)
    .sort((one, other) => (other.lastUsedAt ?? '').localeCompare(one.lastUsedAt ?? ''))
    .map(({ id }) => id)
  // The user's own key is in use now, even if that is not recorded yet.
  return [...new Set([own, ...used])].slice(0, max)
}

export function Requests() {
  const perMinute = param('per') !== 'hour'
  const tick = useRefresh(5_000)
  const usage = useLoad(
    '',
    async (signal) => {
      const ids = await loadKeysInUse(signal)
      const hours = sumUsage(await Promise.all(ids.map((keyId) => store().usage.get({ keyId }, { signal }))))
      recordHours(hours)
      return { hours, keys: ids.length }
    },
    tick,
  )
  return (
    <Card
      id="requests"
      title="Requests"
      aside={<Filter label="Requests by" name="per" otherwise="by minute" choices={[['hour', 'by hour']]} small />}
    >
      <Show of={usage}>
        {({ hours, keys }) => {
          const minutes = lastMinutes()
          return (
            <>
              <Chart
                label={perMinute ? 'Requests per minute' : 'Requests per hour'}
                times={perMinute ? minutes.times : hours.map(({ from }) => Date.parse(from))}
                series={usageSeries(perMinute ? minutes.counts : hours)}
                formatTime={formatTimeOfDay}
              />
              <p class="soft small">
                {!hasScope('keys:manage')
                  ? 'Your key'
                  : keys === 1
                    ? 'The most recently used key'
                    : `The ${keys} most recently used keys`}
                {perMinute && ', counted while this page is open'}.
              </p>
            </>
          )
        }}
      </Show>
    </Card>
  )
}
