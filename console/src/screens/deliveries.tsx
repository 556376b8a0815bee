import type { Delivery } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { findEvents } from '../delivered-events.ts'
import { choicesOf } from '../description.ts'
import { reloadScreens, useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { summarize } from '../parts/event-list.tsx'
import { Filter } from '../parts/filter.tsx'
import { Pager } from '../parts/pager.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { useEventPets } from '../pet-labels.ts'
import { useRefresh } from '../refresh.ts'
import { param } from '../router.ts'
import { store } from '../session.ts'
import { DeliveryDetails } from './delivery-details.tsx'
import { SendAgain } from './send-again.tsx'

interface Props {
  readonly webhookId: number
  readonly isActive: boolean
  /** Called when deliveries were added or attempted. */
  readonly onChange: () => void
}

/** The deliveries of a webhook, with every attempt. */
export function Deliveries({ webhookId, isActive, onChange }: Props) {
  const [state, cursor] = ['state', 'cursor'].map(param)
  const page = useLoad(
    `${webhookId} ${state} ${cursor}`,
    async (signal) => {
      const query = { ...(state && { state: state as Delivery['state'] }), ...(cursor && { cursor }), limit: 20 }
      const { items, ...rest } = await store().webhooks.deliveries(webhookId, query, { signal }).firstPage()
      const events = await findEvents(webhookId, items, signal)
      return { ...rest, items: items.map((delivery) => ({ delivery, event: events.get(delivery.eventId) })) }
    },
    useRefresh(3_000),
  )
  const pets = useEventPets(page.value.data?.items.flatMap(({ event }) => event ?? []) ?? [])
  const attempted = page.value.data?.items.map(({ delivery: { id, attempts } }) => `${id} ${attempts.length}`).join()
  const before = useRef(attempted)
  useEffect(() => {
    if (before.current !== undefined && attempted !== before.current) onChange()
    before.current = attempted
  }, [attempted])
  return (
    <Card
      id="deliveries"
      title="Deliveries"
      wide
      aside={
        <div class="actions">
          <SendAgain webhookId={webhookId} />
          <Filter label="State" name="state" choices={choicesOf('DeliveryState').map((one) => [one, one])} small />
        </div>
      }
    >
      <Show of={page}>
        {({ items, next }) => (
          <>
            {items.length === 0 && <p class="soft">{state ? `No ${state} deliveries.` : 'No deliveries yet.'}</p>}
            <ul class="plain" aria-label="Deliveries">
              {items.map(({ delivery, event }) => (
                <DeliveryItem
                  key={delivery.id}
                  webhookId={webhookId}
                  isActive={isActive}
                  delivery={delivery}
                  about={event && summarize(event, pets).text}
                />
              ))}
            </ul>
            <Pager next={next} count={items.length} />
          </>
        )}
      </Show>
    </Card>
  )
}

interface ItemProps extends Pick<Props, 'webhookId' | 'isActive'> {
  readonly delivery: Delivery
  readonly about: string | undefined
}

function DeliveryItem({ webhookId, isActive, delivery, about }: ItemProps) {
  const { id, type, state, createdAt, attempts, nextAttemptAt } = delivery
  const isOpen = useSignal(false)
  const last = attempts.at(-1)
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
        <code>{type}</code> {about && <span class="what">{about}</span>} <Status value={state} />{' '}
        <Time at={createdAt} hasSeconds />
        <button type="button" class="quiet small" aria-label={`Send again: delivery ${id}`} onClick={redeliver}>
          Send again
        </button>
      </div>
      <details
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open
        }}
      >
        <summary>
          {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
          {last && `, the last: ${last.status ?? last.error ?? 'no response'} after ${last.latencyMs} ms`}
          {isActive && nextAttemptAt && (
            <>
              , next <Time at={nextAttemptAt} hasSeconds />
            </>
          )}
        </summary>
        {isOpen.value && <DeliveryDetails webhookId={webhookId} delivery={delivery} />}
      </details>
    </li>
  )
}
