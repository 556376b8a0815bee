import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type About, explain } from '../explain.ts'
import { type Loaded, reloadScreens } from '../load.ts'

interface Props<T> {
  readonly of: ReadonlySignal<Loaded<T>>
  readonly children: (data: T) => ComponentChildren
}

/** Shows loaded data, or the error. Data stays visible while it reloads. */
export function Show<T>({ of, children }: Props<T>) {
  const { data, error } = of.value
  if (error !== undefined) {
    return (
      <>
        <Failure error={error} retry={reloadScreens} />
        {data !== undefined && children(data)}
      </>
    )
  }
  if (data === undefined) return <Loading />
  return <>{children(data)}</>
}

export const Loading = () => (
  <div class="loading" role="status">
    <span class="for-screen-readers">Loading…</span>
    <i />
    <i />
    <i />
    <i />
  </div>
)

interface FailureProps {
  readonly error: unknown
  readonly about?: About
  readonly retry?: () => void
}

export function Failure({ error, about, retry }: FailureProps) {
  const { title, text, link, requestId } = explain(error, about)
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{title}</strong>
      </p>
      <p>{text}</p>
      <p class="failure-foot">
        {link && <a href={link.href}>{link.text}</a>}
        {retry && (
          <button type="button" class="quiet small" onClick={retry}>
            Try again
          </button>
        )}
        {requestId && (
          <small>
            Request <code>{requestId}</code>
          </small>
        )}
      </p>
    </div>
  )
}

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)
