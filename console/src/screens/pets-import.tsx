import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ImportState, importPets } from '../files/import-pets.ts'
import { readPets } from '../files/read-pets.ts'
import { changed } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Report } from '../parts/progress.tsx'
import { Failure } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'

type Read = ReturnType<typeof readPets>

/** Pets from a CSV or NDJSON file, read in the browser; what is at fault is left out and reported line by line. */
export function ImportPets({ onClose }: { onClose: () => void }) {
  const file = useSignal<Read | undefined>(undefined)
  const state = useSignal<ImportState>({ done: 0, refused: [] })
  const phase = useSignal<'choosing' | 'running' | 'over'>('choosing')
  const error = useSignal<unknown>(undefined)
  const stopped = useRef(new AbortController())
  useEffect(() => () => stopped.current.abort(), [])

  async function start(lines: Read['lines']) {
    phase.value = 'running'
    try {
      const told = (now: ImportState) => (state.value = now)
      await importPets({ lines, told, signal: stopped.current.signal })
    } catch (failure) {
      if (!stopped.current.signal.aborted) error.value = failure
    }
    phase.value = 'over'
    changed()
  }
  const { lines = [], refused: unread = [] } = file.value ?? {}
  const refused = [...unread, ...state.value.refused].sort((one, other) => one.line - other.line)
  const total = lines.length + unread.length
  return (
    <Dialog title="Import pets" onClose={onClose} {...(phase.value === 'running' && { modal: 'insists' as const })}>
      {phase.value === 'choosing' && (
        <>
          <p>
            A CSV file whose first line names its columns (<code>name</code>, <code>category</code> or{' '}
            <code>categoryId</code>, <code>status</code>), or NDJSON with one object a line.
          </p>
          <input
            type="file"
            aria-label="File"
            accept=".csv,.ndjson,.jsonl,.json,text/csv"
            onChange={async (event) => {
              const chosen = event.currentTarget.files?.[0]
              file.value = chosen && readPets(await chosen.text())
            }}
          />
          {file.value && (
            <p role="status">
              {number(lines.length)} {lines.length === 1 ? 'pet' : 'pets'} to register
              {unread.length > 0 && `, ${number(unread.length)} lines that cannot be read`}.
            </p>
          )}
        </>
      )}
      {phase.value !== 'choosing' && (
        <>
          <progress max={total} value={state.value.done + refused.length} aria-label="Import pets" />
          <p role="status">
            {phase.value === 'over'
              ? `${number(state.value.done)} registered, ${number(refused.length)} refused.`
              : `${number(state.value.done)} of ${number(total)} registered`}
          </p>
        </>
      )}
      {error.value !== undefined && <Failure error={error.value} />}
      <Report refused={refused.map(({ line, why }) => ({ name: `Line ${line}`, why }))} />
      <div class="form-foot">
        {phase.value === 'choosing' && (
          <button type="button" disabled={lines.length === 0} onClick={() => start(lines)}>
            Import
          </button>
        )}
        {phase.value === 'running' ? (
          <button type="button" class="quiet" onClick={() => stopped.current.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" class={phase.value === 'over' ? undefined : 'quiet'} onClick={onClose}>
            {phase.value === 'over' ? 'Done' : 'Cancel'}
          </button>
        )}
      </div>
    </Dialog>
  )
}
