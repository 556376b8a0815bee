import { PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type About, explain } from '../explain.ts'
import { reloadScreens } from '../load.ts'
import { Dialog } from './dialog.tsx'
import { number } from './time.tsx'

interface Task<T> {
  readonly title: string
  readonly items: readonly T[]
  readonly nameOf: (item: T) => string
  readonly aboutOf?: (item: T) => About
  readonly each: (item: T, signal: AbortSignal) => Promise<unknown>
  readonly done: (count: number) => string
  readonly onClose: () => void
}

interface Refused {
  readonly name: string
  readonly why: ComponentChildren
}

const parallelMax = 4

/** Processes many items, a few in parallel; shows progress, can be stopped, and reports refused items. */
export function Progress<T>({ title, items, nameOf, aboutOf, each, done, onClose }: Task<T>) {
  const count = useSignal(0)
  const refused = useSignal<readonly Refused[]>([])
  const isDone = useSignal(false)
  const stopped = useRef(new AbortController())
  useEffect(() => {
    const left = [...items]
    async function work() {
      for (let item = left.shift(); item !== undefined && !stopped.current.signal.aborted; item = left.shift()) {
        const current = item
        try {
          await each(current, stopped.current.signal)
        } catch (error) {
          if (stopped.current.signal.aborted) return
          refused.value = [
            ...refused.value,
            { name: nameOf(current), why: <Reason error={error} about={aboutOf?.(current)} /> },
          ]
        }
        count.value++
      }
    }
    Promise.all(Array.from({ length: parallelMax }, work)).then(() => {
      isDone.value = true
      reloadScreens()
    })
    return () => stopped.current.abort()
  }, [])
  return (
    <Dialog title={title} onClose={() => isDone.value && onClose()} isBlocking>
      <progress max={items.length} value={count.value} aria-label={title} />
      <p role="status">
        {isDone.value
          ? `${done(count.value - refused.value.length)}${refused.value.length > 0 ? `, ${number(refused.value.length)} refused` : ''}${count.value < items.length ? `, stopped with ${number(items.length - count.value)} left` : ''}.`
          : `${number(count.value)} of ${number(items.length)}`}
      </p>
      <Report refused={refused.value} />
      <div class="form-foot">
        {isDone.value ? (
          <button type="button" onClick={onClose}>
            Done
          </button>
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

export function Report({ refused }: { refused: readonly Refused[] }) {
  if (refused.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section class="scroll report" tabIndex={0} aria-label="Refused">
      <table class="list" aria-label="Refused">
        <tbody>
          {refused.map(({ name, why }, index) => (
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
