import { param, setParams } from '../router.ts'

/** Pages by their own links, so a list of a million is as quick as one of ten, and back goes back. */
export function Pager({
  next,
  shown,
  total,
}: {
  next?: string | undefined
  shown: number
  total?: string | undefined
}) {
  const cursor = param('cursor')
  if (!next && !cursor && !total) return null
  return (
    <nav class="pager" aria-label="Pages">
      <span class="soft">
        {shown} shown{total && `, ${total} in all`}
      </span>
      {cursor && (
        <button type="button" class="quiet small" onClick={() => setParams({ cursor: undefined })}>
          First page
        </button>
      )}
      {cursor && (
        <button type="button" class="quiet small" onClick={() => history.back()}>
          Back
        </button>
      )}
      {next && (
        <button type="button" class="quiet small" onClick={() => setParams({ cursor: next })}>
          Next page
        </button>
      )}
    </nav>
  )
}
