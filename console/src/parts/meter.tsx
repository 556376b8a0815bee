import { waitingUntil } from '../connection.ts'
import { useTick } from '../refresh.ts'
import { session } from '../session.ts'
import { number } from './time.tsx'

const words: Record<string, string> = { minute: 'this minute', day: 'today' }

/** What is left to one's own key, as the answers say it. It asks nothing itself. */
export function Meter() {
  useTick(500)
  const seconds = Math.max(0, Math.ceil((waitingUntil.value - Date.now()) / 1000))
  const told = session.value?.store.limits.last
  const windows = told
    ? Object.entries(told).map(([name, { limit, remaining }]) => ({ name, limit, remaining }))
    : (session.value?.status.windows ?? [])
  return (
    <section class="meter" aria-label="Requests left to your key">
      {windows.map(({ name, limit, remaining }) => (
        <div key={name} title={`${number(remaining)} of ${number(limit)} requests left ${words[name] ?? name}`}>
          <span>{words[name] ?? name}</span>
          <progress
            max={limit}
            value={remaining}
            class={remaining / limit < 0.1 ? 'low' : undefined}
            aria-label={`Requests left ${words[name] ?? name}`}
          />
          <span class="left">{number(remaining)}</span>
        </div>
      ))}
      {seconds > 0 && (
        <p class="waiting" role="status">
          Waiting {seconds} s for room
        </p>
      )}
    </section>
  )
}
