import { param, setParams } from '../router.ts'

/** Pages by cursor, so a long list is as fast as a short one. Back uses the browser's history. */
export function Pager({
  next,
  count,
  total,
}: {
  next?: string | undefined
  count: number
  total?: string | undefined
}) {
  const cursor = param('cursor')
  if (!next && !cursor && !total) return null
  return (
    <nav class="pager" aria-label="Pages">
      <span class="soft">
        {count} shown{total && `, ${total} in total`}
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
