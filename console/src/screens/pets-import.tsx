import { useRef } from 'preact/hooks'
import { saveRejected } from '../files/import-pets.ts'
import { useImport } from '../files/use-import.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Report } from '../parts/progress.tsx'
import { Failure } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { confirmLoss, useUnsaved } from '../unsaved.ts'
import { ImportCheck } from './pets-import-check.tsx'

const shownMax = 200

const importStopped = {
  title: 'Leave the import unfinished?',
  text: 'If you import the file again later, its first pets are created twice.',
  keep: 'Stay',
  lose: 'Leave',
}

/** Imports pets from a CSV or NDJSON file, after a check of the whole file. */
export function ImportPets({ onClose }: { onClose: () => void }) {
  const all = useImport()
  const { phase, file, checked, done, rejections, error, start, stop } = all
  const { pets = 0, rejected: faults = 0, newCategories = [] } = checked.value ?? {}
  const isBefore = phase.value === 'choosing'
  const isRunning = phase.value === 'running'
  const isStopped = phase.value === 'stopped'
  const frame = useRef<HTMLDivElement>(null)
  useUnsaved(frame, () => isRunning || isStopped, importStopped)
  const rejected = isBefore ? (checked.value?.rejections ?? []) : rejections.value
  return (
    <Dialog title="Import pets" onClose={onClose} isBlocking={isRunning} wide>
      {isBefore ? (
        <ImportCheck {...all} />
      ) : (
        <>
          <progress max={pets + faults} value={done.value.pets + done.value.rejected} aria-label="Import pets" />
          <p role="status">
            {isRunning
              ? `${number(done.value.pets)} of ${number(pets)} created`
              : `${number(done.value.pets)} created, ${number(done.value.rejected)} rejected${isStopped ? `, stopped after line ${number(done.value.line)}` : ''}.`}
          </p>
        </>
      )}
      {error.value !== undefined && <Failure error={error.value} />}
      <Report
        rejected={rejected.slice(0, shownMax).map(({ line, message }) => ({ name: `Line ${line}`, why: message }))}
      />
      {rejected.length > shownMax && <p class="soft">and {number(rejected.length - shownMax)} more, in the file.</p>}
      <div ref={frame} class="form-foot">
        {(isBefore || isStopped) && (
          <button type="button" disabled={pets + newCategories.length === 0} onClick={start}>
            {isBefore ? 'Import' : 'Continue'}
          </button>
        )}
        {isRunning ? (
          <button type="button" class="quiet" onClick={stop}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class={phase.value === 'done' ? undefined : 'quiet'}
            onClick={() => confirmLoss(onClose, (element) => element === frame.current)}
          >
            {isBefore ? 'Cancel' : 'Done'}
          </button>
        )}
        {file.value && rejected.length > 0 && !isRunning && (
          <button type="button" class="quiet" onClick={() => file.value && saveRejected(file.value, rejected)}>
            Save rejected lines
          </button>
        )}
      </div>
    </Dialog>
  )
}
