import type { Delivery, DeliveryAttempt } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { Show } from '../parts/states.tsx'
import { number, Time } from '../parts/time.tsx'
import { store } from '../session.ts'

/** What was sent, and each attempt with its headers and response. Loads again when there is another attempt. */
export function DeliveryDetails({ webhookId, delivery }: { webhookId: number; delivery: Delivery }) {
  const { id, eventId, attempts, state } = delivery
  const last = attempts.at(-1)?.time
  const details = useLoad(`${id} ${last} ${state}`, (signal) => store().webhooks.delivery(webhookId, id, { signal }), 0)
  return (
    <Show of={details}>
      {({ payload, attempts: sent }) => (
        <>
          <h3>Payload</h3>
          {payload === undefined ? (
            <p class="soft">
              The event <code>{eventId}</code> is no longer retained, or your key can no longer see it.
            </p>
          ) : (
            <pre>{JSON.stringify(JSON.parse(payload), null, 2)}</pre>
          )}
          <ol class="plain attempts" aria-label={`Attempts of delivery ${id}`}>
            {sent.map((attempt) => (
              <Attempt key={attempt.time} attempt={attempt} />
            ))}
          </ol>
        </>
      )}
    </Show>
  )
}

const Attempt = ({ attempt }: { attempt: DeliveryAttempt }) => {
  const { time, status, latencyMs, error, response, headers = {} } = attempt
  return (
    <li>
      <strong>{status ?? 'no response'}</strong> <span class="soft">after {number(latencyMs)} ms, </span>
      <Time at={time} hasSeconds /> {error && <span>{error}</span>}
      <h4>Headers</h4>
      <pre>
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n')}
      </pre>
      {response && (
        <>
          <h4>Response</h4>
          <pre>{response}</pre>
        </>
      )}
    </li>
  )
}
