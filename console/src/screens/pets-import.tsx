import type { ImportCounts, ImportResult, Refusal } from '@petstore/sdk/pet-files'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { checkPets, importPets } from '../files/import-pets.ts'
import { reloadScreens } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Report } from '../parts/progress.tsx'
import { Failure } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { hasScope } from '../session.ts'

const namesShown = 10

/** Imports pets from a CSV or NDJSON file: checks it, asks about missing categories, then registers line by line. */
export function ImportPets({ onClose }: { onClose: () => void }) {
  const file = useSignal<File | undefined>(undefined)
  const checked = useSignal<ImportResult | undefined>(undefined)
  const counts = useSignal<ImportCounts>({ pets: 0, categories: 0, refused: 0 })
  const refused = useSignal<readonly Refusal[]>([])
  const createsCategories = useSignal(false)
  const phase = useSignal<'choosing' | 'running' | 'done'>('choosing')
  const error = useSignal<unknown>(undefined)
  const stopped = useRef(new AbortController())
  useEffect(() => () => stopped.current.abort(), [])

  async function choose(chosen: File | undefined) {
    const { signal } = stopped.current
    file.value = chosen
    checked.value = undefined
    error.value = undefined
    refused.value = []
    if (!chosen) return
    const refusals: Refusal[] = []
    try {
      const result = await checkPets(chosen, { signal, onRefused: (refusal) => refusals.push(refusal) })
      if (file.value !== chosen) return
      checked.value = result
      refused.value = refusals
    } catch (failure) {
      if (!signal.aborted && file.value === chosen) error.value = failure
    }
  }

  async function start(chosen: File) {
    const { signal } = stopped.current
    phase.value = 'running'
    refused.value = []
    const refusals: Refusal[] = []
    try {
      await importPets(chosen, {
        canCreateCategories: createsCategories.value,
        signal,
        onRefused: (refusal) => refusals.push(refusal),
        onProgress(_line, _bytes, current) {
          counts.value = current
          refused.value = [...refusals]
        },
      })
    } catch (failure) {
      if (!signal.aborted) error.value = failure
    }
    phase.value = 'done'
    reloadScreens()
  }

  const { pets = 0, refused: unreadable = 0, newCategories = [] } = checked.value ?? {}
  return (
    <Dialog title="Import pets" onClose={onClose} isBlocking={phase.value === 'running'}>
      {phase.value === 'choosing' && (
        <>
          <p>
            A CSV file whose first line names its columns (<code>name</code>, <code>category</code> or{' '}
            <code>categoryId</code>, <code>status</code>, <code>stock</code>), or NDJSON with one object per line. Files
            from this console and from <code>petstore export</code> work as they are.
          </p>
          {!hasScope('inventory:write') && <p>Your key cannot set stock, so every new pet starts with the default.</p>}
          <input
            type="file"
            aria-label="File"
            accept=".csv,.ndjson,.jsonl,.json,text/csv"
            onChange={(event) => choose(event.currentTarget.files?.[0])}
          />
          {checked.value && (
            <p role="status">
              {number(pets)} {pets === 1 ? 'pet' : 'pets'} to register
              {unreadable > 0 && `, ${number(unreadable)} ${unreadable === 1 ? 'line' : 'lines'} refused`}.
            </p>
          )}
          {newCategories.length > 0 && (
            <div class="choices">
              <label>
                <input
                  type="checkbox"
                  checked={createsCategories.value}
                  onChange={(event) => (createsCategories.value = event.currentTarget.checked)}
                />
                <span>
                  Create the missing categories: {newCategories.slice(0, namesShown).join(', ')}
                  {newCategories.length > namesShown && ` and ${number(newCategories.length - namesShown)} more`}
                </span>
              </label>
            </div>
          )}
        </>
      )}
      {phase.value !== 'choosing' && (
        <>
          <progress max={pets + unreadable} value={counts.value.pets + counts.value.refused} aria-label="Import pets" />
          <p role="status">
            {phase.value === 'done'
              ? `${number(counts.value.pets)} registered, ${number(counts.value.refused)} refused.`
              : `${number(counts.value.pets)} of ${number(pets)} registered`}
          </p>
        </>
      )}
      {error.value !== undefined && <Failure error={error.value} />}
      <Report refused={refused.value.map(({ line, message }) => ({ name: `Line ${line}`, why: message }))} />
      <div class="form-foot">
        {phase.value === 'choosing' && (
          <button
            type="button"
            disabled={pets + newCategories.length === 0}
            onClick={() => file.value && start(file.value)}
          >
            Import
          </button>
        )}
        {phase.value === 'running' ? (
          <button type="button" class="quiet" onClick={() => stopped.current.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" class={phase.value === 'done' ? undefined : 'quiet'} onClick={onClose}>
            {phase.value === 'done' ? 'Done' : 'Cancel'}
          </button>
        )}
      </div>
    </Dialog>
  )
}
