import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { answersSeen, waitingUntil } from '../connection.ts'
import { session } from '../session.ts'
import { number } from './time.tsx'

const words: Record<string, string> = { minute: 'this minute', day: 'today' }

/** What is left to one's own key, as the answers say it. It asks nothing itself. */
export function Meter() {
  // Read, so that every answer draws it anew.
  answersSeen.value
  const seconds = useWait()
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

/** Seconds until refused requests go on. */
function useWait(): number {
  const now = useSignal(Date.now())
  const until = waitingUntil.value
  useEffect(() => {
    if (until <= Date.now()) return
    const timer = setInterval(() => {
      now.value = Date.now()
      if (until <= Date.now()) clearInterval(timer)
    }, 500)
    return () => clearInterval(timer)
  }, [until])
  return Math.max(0, Math.ceil((until - now.value) / 1000))
}
