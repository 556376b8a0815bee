import type { Delivery, ReplayEvents } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { reloadScreens } from '../load.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { oneByOne, Progress } from '../parts/progress.tsx'
import { number } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { store, storeForLongTasks } from '../session.ts'

/** How many are sent again at once. */
const failedMax = 500
const dayMs = 86_400_000

/** Sends again all that failed, or the events of a time range. */
export function SendAgain({ webhookId }: { webhookId: number }) {
  const failed = useSignal<readonly Delivery[] | undefined>(undefined)
  const hasMore = useSignal(false)
  const isAskingTime = useSignal(false)
  /** Sending a range again that was interrupted continues it. */
  const interrupted = useRef<Replayed | undefined>(undefined)
  const findFailed = async () => {
    try {
      const found = await store()
        .webhooks.deliveries(webhookId, { state: 'failed', limit: 100 })
        .toArray(failedMax + 1)
      hasMore.value = found.length > failedMax
      if (found.length > 0) failed.value = found.slice(0, failedMax)
      else toast({ text: 'No delivery has failed for good. Pending ones are retried automatically.' })
    } catch (error) {
      toastFailure(error)
    }
  }
  return (
    <>
      <button type="button" class="quiet small" onClick={findFailed}>
        Send all failed again
      </button>
      <button type="button" class="quiet small" onClick={() => (isAskingTime.value = true)}>
        Send a time range again
      </button>
      {failed.value && (
        <Progress
          title="Send all failed deliveries again"
          items={failed.value}
          nameOf={({ id, type }) => `${type}, delivery ${id}`}
          run={oneByOne(({ id }) => storeForLongTasks().webhooks.redeliver(webhookId, id))}
          done={(count) =>
            `${count === 1 ? '1 delivery is' : `${number(count)} deliveries are`} sent again${hasMore.value ? '; more have failed: send all failed again for the next' : ''}`
          }
          onClose={() => (failed.value = undefined)}
        />
      )}
      {isAskingTime.value && (
        <FormDialog<ReplayEvents>
          title="Send the events of a time range again"
          about="Every event of that time that this webhook subscribes to is sent, even those that arrived before. Ten of them count as one request."
          schema="ReplayEvents"
          only={['from', 'to']}
          initial={{ from: new Date(Date.now() - dayMs).toISOString() }}
          submit="Send again"
          send={async (range, { isLeft }) => {
            const chosen = JSON.stringify(range)
            if (interrupted.current?.range !== chosen)
              interrupted.current = { range: chosen, count: 0, after: undefined }
            const replayed = interrupted.current
            try {
              await replayRest(webhookId, range, replayed)
            } finally {
              reloadScreens()
            }
            const { count } = replayed
            interrupted.current = undefined
            if (!isLeft()) isAskingTime.value = false
            toast({ text: count === 1 ? '1 event is sent again.' : `${number(count)} events are sent again.` })
          }}
          onClose={() => (isAskingTime.value = false)}
        />
      )}
    </>
  )
}

interface Replayed {
  readonly range: string
  count: number
  /** Where to continue. */
  after: string | undefined
}

/** One call sends a limited number of events, and says where to continue. */
async function replayRest(webhookId: number, range: ReplayEvents, replayed: Replayed): Promise<void> {
  do {
    const { after } = replayed
    const { scheduled, next } = await store().webhooks.replay(webhookId, { ...range, ...(after && { after }) })
    replayed.count += scheduled
    replayed.after = next
  } while (replayed.after)
}
