import { type Signal, signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { About } from '../explain.ts'
import { findPending, startPending } from '../pending.ts'
import { Progress } from './progress.tsx'
import { number } from './time.tsx'
import { toastFailure } from './toasts.tsx'
import { Undoable } from './undoable.tsx'

/** A change to many things of one kind. */
export interface BulkTask {
  readonly title: string
  readonly ids: readonly number[]
  readonly nameOf: (id: number) => string
  readonly aboutOf?: (id: number) => About
  readonly batchSize?: number
  readonly run: (ids: readonly number[], signal: AbortSignal) => Promise<ReadonlyMap<number, unknown>>
  readonly done: (count: number) => string
}

/** The task that runs now. It continues when the user leaves the list. */
export const runningTask = signal<BulkTask | undefined>(undefined)

interface Later {
  /** The id of the pending change of many, as in pending.ts. */
  readonly pendingId: string
  readonly kind: 'pet' | 'order'
  readonly verb: 'deleted' | 'cancelled' | 'completed'
  readonly onStart: () => void
}

/** Runs a change once the time to undo it is over. */
export function runLater(task: BulkTask, { pendingId, kind, verb, onStart }: Later): void {
  startPending({
    id: pendingId,
    items: new Set(task.ids.map((id) => `${kind} ${id}`)),
    verb,
    async send() {
      onStart()
      runningTask.value = task
    },
  })
}

/** The progress of the running change. */
export const BulkProgress = () =>
  runningTask.value && (
    <Progress {...runningTask.value} items={runningTask.value.ids} onClose={() => (runningTask.value = undefined)} />
  )

type Matching = (signal: AbortSignal) => AsyncIterable<{ readonly items: readonly { readonly id: number }[] }>

interface Props {
  readonly label: string
  readonly selected: Signal<ReadonlySet<number>>
  /** A number of them, such as `3 pets`. */
  readonly count: (count: number) => string
  /** The id of the pending change of many, as in pending.ts. */
  readonly pendingId: string
  /** Reads all that match the filters, if there may be some that are not on this page. */
  readonly matching?: Matching | undefined
  readonly total?: string | undefined
  readonly children: ComponentChildren
}

/** Actions for all selected rows of a list. */
export function BulkBar({ label, selected, count, pendingId, matching, total, children }: Props) {
  const pending = findPending(pendingId)?.action.items?.size
  const { size } = selected.value
  if (pending === undefined && size === 0) return null
  return (
    <section class="bulk" aria-label={label}>
      <span role="status">{pending === undefined ? `${count(size)} selected` : count(pending)}</span>
      <Undoable id={pendingId}>
        {matching && <SelectMatching selected={selected} matching={matching} total={total} />}
        {children}
        <button type="button" class="quiet" onClick={() => (selected.value = new Set())}>
          Clear selection
        </button>
      </Undoable>
    </section>
  )
}

/** Reads the ids of all that match the filters now, and selects them. */
function SelectMatching({ selected, matching, total }: Pick<Props, 'selected' | 'total'> & { matching: Matching }) {
  const count = useSignal<number | undefined>(undefined)
  const reading = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => reading.current?.abort(), [])
  async function read() {
    reading.current = new AbortController()
    const { signal } = reading.current
    const found = new Set<number>()
    const [before, address] = [selected.peek(), location.search]
    count.value = 0
    try {
      for await (const { items } of matching(signal)) {
        for (const { id } of items) found.add(id)
        count.value = found.size
      }
      // Unless the user has chosen otherwise meanwhile.
      if (selected.peek() === before && location.search === address) selected.value = found
    } catch (error) {
      if (!signal.aborted) toastFailure(error)
    }
    count.value = undefined
  }
  if (count.value === undefined) {
    return (
      <button type="button" class="quiet" onClick={read}>
        Select all{total && ` ${total}`} that match
      </button>
    )
  }
  return (
    <button type="button" class="quiet" onClick={() => reading.current?.abort()}>
      Stop, {number(count.value)} found
    </button>
  )
}
