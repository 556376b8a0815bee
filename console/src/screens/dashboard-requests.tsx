import { useLoad } from '../load.ts'
import { Chart } from '../parts/chart.tsx'
import { Show } from '../parts/states.tsx'
import { useRefresh } from '../refresh.ts'
import { lastMinutes, noteHours, sumOf } from '../request-minutes.ts'
import { param, setParams } from '../router.ts'
import { may, session, store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'

const keysMax = 10
/** One key is asked about for each so many requests that one's own key has a minute. */
const perKeyMin = 100

const clock = (ms: number) => new Date(ms).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

/** Whose requests are counted: one's own, or, for who manages keys, those of the keys used last. */
async function keysInUse(signal: AbortSignal): Promise<number[]> {
  const own = session.value?.status.keyId ?? 0
  if (!may('keys:manage')) return [own]
  const perMinute = session.value?.status.windows[0]?.limit ?? 0
  const max = Math.max(1, Math.min(keysMax, Math.floor(perMinute / perKeyMin)))
  const { items } = await store().keys.list({ limit: 100, sort: '-id' }, { signal }).firstPage()
  const used = items
    .filter(({ lastUsedAt }) => lastUsedAt)
    .sort((one, other) => (other.lastUsedAt ?? '').localeCompare(one.lastUsedAt ?? ''))
    .map(({ id }) => id)
  // One's own is in use now, whatever was noted so far.
  return [...new Set([own, ...used])].slice(0, max)
}

export function Requests() {
  const perMinute = param('per') !== 'hour'
  const tick = useRefresh(5_000)
  const usage = useLoad(
    '',
    async (signal) => {
      const ids = await keysInUse(signal)
      const hours = sumOf(await Promise.all(ids.map((keyId) => store().usage.get({ keyId }, { signal }))))
      noteHours(hours)
      return { hours, keys: ids.length }
    },
    tick,
  )
  return (
    <section class="card" aria-labelledby="requests">
      <header>
        <h2 id="requests">Requests</h2>
        <select
          class="small"
          aria-label="Requests by"
          value={perMinute ? 'minute' : 'hour'}
          onChange={(event) => setParams({ per: event.currentTarget.value === 'hour' ? 'hour' : undefined })}
        >
          <option value="minute">by minute</option>
          <option value="hour">by hour</option>
        </select>
      </header>
      <Show of={usage}>
        {({ hours, keys }) => {
          const minutes = lastMinutes()
          return (
            <>
              <Chart
                label={perMinute ? 'Requests a minute' : 'Requests an hour'}
                times={perMinute ? minutes.times : hours.map(({ from }) => Date.parse(from))}
                series={usageSeries(perMinute ? minutes.counts : hours)}
                timeOf={clock}
              />
              <p class="soft small">
                {!may('keys:manage') ? 'Your key' : keys === 1 ? 'The key used last' : `The ${keys} keys used last`}
                {perMinute && ', counted while this page is open'}.
              </p>
            </>
          )
        }}
      </Show>
    </section>
  )
}
