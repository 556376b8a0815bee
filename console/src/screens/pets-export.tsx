import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { exportPets, type FormatName } from '../files/export-pets.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { petFilters } from './pet-filters.ts'

/** Exports the filtered pets to a file. */
export function ExportPets({ onClose }: { onClose: () => void }) {
  const count = useSignal<number | undefined>(undefined)
  const isDone = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const stopped = useRef(new AbortController())
  useEffect(() => () => stopped.current.abort(), [])
  async function start(format: FormatName) {
    count.value = 0
    error.value = undefined
    const { signal } = stopped.current
    try {
      await exportPets(format, { filters: petFilters(), onProgress: (pets) => (count.value = pets), signal })
      isDone.value = true
    } catch (failure) {
      if (signal.aborted) return
      error.value = failure
      count.value = undefined
    }
  }
  return (
    <Dialog title="Export pets" onClose={onClose}>
      <p>All pets that match the filters, with their categories and stock.</p>
      {count.value !== undefined && (
        <>
          {!isDone.value && <progress aria-label="Export pets" />}
          <p role="status">
            {number(count.value)} pets {isDone.value ? 'exported.' : 'read'}
          </p>
        </>
      )}
      {error.value !== undefined && <Failure error={error.value} />}
      <div class="form-foot">
        {count.value === undefined && (
          <>
            <button type="button" onClick={() => start('csv')}>
              CSV
            </button>
            <button type="button" onClick={() => start('ndjson')}>
              NDJSON
            </button>
          </>
        )}
        <button type="button" class="quiet" onClick={onClose}>
          {isDone.value ? 'Done' : 'Cancel'}
        </button>
      </div>
    </Dialog>
  )
}
