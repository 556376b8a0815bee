import { waitingUntil } from '../connection.ts'
import { useTick } from '../refresh.ts'
import { session } from '../session.ts'
import { number } from './time.tsx'

const labels: Record<string, string> = { minute: 'this minute', day: 'today' }

/** The requests left for the user's key, according to the latest responses. Sends no requests. */
export function Meter() {
  useTick(500)
  const seconds = Math.max(0, Math.ceil((waitingUntil.value - Date.now()) / 1000))
  const limits = session.value?.store.limits.last
  const windows = limits
    ? Object.entries(limits).map(([name, { limit, remaining }]) => ({ name, limit, remaining }))
    : (session.value?.status.windows ?? [])
  return (
    <section class="meter" aria-label="Requests left for your key">
      {windows.map(({ name, limit, remaining }) => (
        <div key={name} title={`${number(remaining)} of ${number(limit)} requests left ${labels[name] ?? name}`}>
          <span>{labels[name] ?? name}</span>
          <progress
            max={limit}
            value={remaining}
            class={remaining / limit < 0.1 ? 'low' : undefined}
            aria-label={`Requests left ${labels[name] ?? name}`}
          />
          <span class="left">{number(remaining)}</span>
        </div>
      ))}
      {seconds > 0 && (
        <p class="waiting" role="status">
          Rate limited: waiting {seconds} s
        </p>
      )}
    </section>
  )
}
