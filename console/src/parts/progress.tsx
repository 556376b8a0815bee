import { PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type About, explain } from '../explain.ts'
import { reloadScreens } from '../load.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'
import { number } from './time.tsx'

type Rejections<T> = ReadonlyMap<T, unknown>

interface Task<T> {
  readonly title: string
  readonly items: readonly T[]
  readonly nameOf: (item: T) => string
  readonly aboutOf?: (item: T) => About
  /** How many items one run takes; 1 unless given. */
  readonly batchSize?: number
  /** Processes a batch and returns what was rejected. Throws if it could not be processed at all. */
  readonly run: (batch: readonly T[], signal: AbortSignal) => Promise<Rejections<T>>
  readonly done: (count: number) => string
  readonly onClose: () => void
}

interface Rejected {
  readonly name: string
  readonly why: ComponentChildren
}

const parallelMax = 4
/** These are about the key, not about an item: the rest would be rejected too. */
const keyStatuses = new Set([401, 403, 429])

const isRejection = (error: unknown): boolean =>
  error instanceof PetStoreError && error.status >= 400 && error.status < 500 && !keyStatuses.has(error.status)

/** A run that processes one item at a time. */
export const oneByOne =
  <T,>(each: (item: T, signal: AbortSignal) => Promise<unknown>) =>
  async (batch: readonly T[], signal: AbortSignal): Promise<Rejections<T>> => {
    const rejections = new Map<T, unknown>()
    for (const item of batch) {
      await each(item, signal).catch((error) => {
        if (!isRejection(error)) throw error
        rejections.set(item, error)
      })
    }
    return rejections
  }

/** Processes many items, a few in parallel; shows progress, can be stopped and continued, and reports rejected items. */
export function Progress<T>({ title, items, nameOf, aboutOf, batchSize = 1, run, done, onClose }: Task<T>) {
  const left = useRef([...items])
  const count = useSignal(0)
  const rejected = useSignal<readonly Rejected[]>([])
  const isDone = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const stopped = useRef(new AbortController())
  async function work() {
    const { signal } = stopped.current
    while (left.current.length > 0 && !signal.aborted && error.value === undefined) {
      const batch = left.current.splice(0, batchSize)
      try {
        const rejections = [...(await run(batch, signal))]
        rejected.value = [
          ...rejected.value,
          ...rejections.map(([item, reason]) => ({
            name: nameOf(item),
            why: <Reason error={reason} about={aboutOf?.(item)} />,
          })),
        ]
        count.value += batch.length
      } catch (failure) {
        left.current.unshift(...batch)
        if (!signal.aborted) error.value = failure
      }
    }
  }
  async function start() {
    error.value = undefined
    isDone.value = false
    // It may have been stopped after a failure, before all had ended.
    if (stopped.current.signal.aborted) stopped.current = new AbortController()
    await Promise.all(Array.from({ length: parallelMax }, work))
    isDone.value = true
    reloadScreens()
  }
  useEffect(() => {
    start()
    // It goes on while the user looks at other screens, but not without the page.
    const askOnUnload = (event: Event) => {
      if (!isDone.value) event.preventDefault()
    }
    addEventListener('beforeunload', askOnUnload)
    return () => {
      removeEventListener('beforeunload', askOnUnload)
      stopped.current.abort()
    }
  }, [])
  return (
    <Dialog title={title} onClose={() => isDone.value && onClose()} isBlocking>
      <progress max={items.length} value={count.value} aria-label={title} />
      <p role="status">
        {isDone.value
          ? `${done(count.value - rejected.value.length)}${rejected.value.length > 0 ? `, ${number(rejected.value.length)} rejected` : ''}${count.value < items.length ? `, stopped with ${number(items.length - count.value)} left` : ''}.`
          : `${number(count.value)} of ${number(items.length)}`}
      </p>
      {error.value !== undefined && <Failure error={error.value} />}
      <Report rejected={rejected.value} />
      <div class="form-foot">
        {isDone.value ? (
          <>
            {error.value !== undefined && (
              <button type="button" onClick={start}>
                Continue
              </button>
            )}
            <button type="button" class={error.value === undefined ? undefined : 'quiet'} onClick={onClose}>
              Done
            </button>
          </>
        ) : (
          <button type="button" class="quiet" onClick={() => stopped.current.abort()}>
            Stop
          </button>
        )}
      </div>
    </Dialog>
  )
}

function Reason({ error, about = {} }: { error: unknown; about?: About | undefined }) {
  const { title, text, link } = explain(error, about)
  return (
    <>
      {title}. <span class="soft">{error instanceof PetStoreError ? error.message : text}</span>{' '}
      {link && <a href={link.href}>{link.text}</a>}
    </>
  )
}

export function Report({ rejected }: { rejected: readonly Rejected[] }) {
  if (rejected.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section class="scroll report" tabIndex={0} aria-label="Rejected">
      <table class="list" aria-label="Rejected">
        <tbody>
          {rejected.map(({ name, why }, index) => (
            <tr key={`${index} ${name}`}>
              <th scope="row">{name}</th>
              <td>{why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
