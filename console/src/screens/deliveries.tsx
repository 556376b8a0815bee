import type { Delivery } from '@petstore/sdk'
import { choicesOf } from '../description.ts'
import { reloadScreens, useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Filter } from '../parts/filter.tsx'
import { Pager } from '../parts/pager.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { useRefresh } from '../refresh.ts'
import { param } from '../router.ts'
import { store } from '../session.ts'

/** The deliveries of a webhook, with every attempt. */
export function Deliveries({ webhookId }: { webhookId: number }) {
  const [state, cursor] = ['state', 'cursor'].map(param)
  const page = useLoad(
    `${webhookId} ${state} ${cursor}`,
    (signal) =>
      store()
        .webhooks.deliveries(
          webhookId,
          { ...(state && { state: state as Delivery['state'] }), ...(cursor && { cursor }), limit: 20 },
          { signal },
        )
        .firstPage(),
    useRefresh(3_000),
  )
  return (
    <Card
      id="deliveries"
      title="Deliveries"
      aside={<Filter label="State" name="state" choices={choicesOf('DeliveryState').map((one) => [one, one])} />}
    >
      <Show of={page}>
        {({ items, next }) => (
          <>
            {items.length === 0 && <p class="soft">No deliveries yet.</p>}
            <ul class="plain" aria-label="Deliveries">
              {items.map((delivery) => (
                <DeliveryItem key={delivery.id} webhookId={webhookId} delivery={delivery} />
              ))}
            </ul>
            <Pager next={next} count={items.length} />
          </>
        )}
      </Show>
    </Card>
  )
}

function DeliveryItem({ webhookId, delivery }: { webhookId: number; delivery: Delivery }) {
  const { id, type, eventId, state, createdAt, attempts, nextAttemptAt } = delivery
  const redeliver = () =>
    store()
      .webhooks.redeliver(webhookId, id)
      .then(() => {
        toast({ text: `Sending ${type} again.` })
        reloadScreens()
      }, toastFailure)
  return (
    <li class="delivery">
      <div class="delivery-head">
        <code>{type}</code> <Status value={state} /> <Time at={createdAt} />
        <button type="button" class="quiet small" aria-label={`Send again: delivery ${id}`} onClick={redeliver}>
          Send again
        </button>
      </div>
      <p class="soft small">
        Event <code>{eventId}</code>
        {nextAttemptAt && (
          <>
            , next attempt <Time at={nextAttemptAt} />
          </>
        )}
      </p>
      <ol class="plain attempts" aria-label={`Attempts of delivery ${id}`}>
        {attempts.map(({ time, status, latencyMs, error, response }) => (
          <li key={time}>
            <strong>{status ?? 'no answer'}</strong> <span class="soft">after {number(latencyMs)} ms, </span>
            <Time at={time} /> {error && <span>{error}</span>} {response && <pre>{response}</pre>}
          </li>
        ))}
      </ol>
    </li>
  )
}
