import type { PetProfile } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { exportList, type Format } from '../files/export.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { store } from '../session.ts'
import { petFilters } from './pets.tsx'

const columns: readonly (readonly [string, (pet: PetProfile) => string | number])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['categoryId', ({ categoryId }) => categoryId],
  ['category', ({ category }) => category.name],
  ['status', ({ status }) => status],
  ['stock', ({ stock }) => stock],
]

/** The pets that the filters let through, as a file. */
export function ExportPets({ onClose }: { onClose: () => void }) {
  const count = useSignal<number | undefined>(undefined)
  const over = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const stopped = useRef(new AbortController())
  useEffect(() => () => stopped.current.abort(), [])
  async function start(format: Format) {
    count.value = 0
    const { signal } = stopped.current
    try {
      const list = store().pets.profiles({ ...petFilters(), limit: 100 }, { signal })
      await exportList({ list, format, columns, name: 'pets', told: (done) => (count.value = done), signal })
      over.value = true
    } catch (failure) {
      if (!signal.aborted) error.value = failure
    }
  }
  return (
    <Dialog title="Export pets" onClose={onClose}>
      <p>All pets that the filters let through, with their categories and stock.</p>
      {count.value !== undefined && (
        <>
          {!over.value && <progress aria-label="Export pets" />}
          <p role="status">
            {number(count.value)} pets {over.value ? 'exported.' : 'read'}
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
          {over.value ? 'Done' : 'Cancel'}
        </button>
      </div>
    </Dialog>
  )
}
