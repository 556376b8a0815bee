import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { labelOf } from '../description.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

export interface EditConflict<T> {
  readonly before: T
  readonly theirs: T
  readonly yours: Partial<T>
}

interface Props<T> extends EditConflict<T> {
  readonly what: string
  /** Formats a value; plain text unless given. */
  readonly formatValue?: (field: keyof T, value: unknown) => ComponentChildren
  /** Saves the selected changes, on top of their version. */
  readonly save: (changes: Partial<T>) => Promise<unknown>
  readonly onClose: () => void
}

/** Your changes that differ from their version. */
export const findConflicts = <T extends object>({ theirs, yours }: EditConflict<T>): (keyof T)[] =>
  (Object.keys(yours) as (keyof T)[]).filter((field) => JSON.stringify(yours[field]) !== JSON.stringify(theirs[field]))

/** Resolves an edit conflict: shows the version before, theirs and yours. */
export function Conflict<T extends object>({ what, before, theirs, yours, formatValue, save, onClose }: Props<T>) {
  const fields = (Object.keys(before) as (keyof T)[]).filter(
    (field) => field in yours || JSON.stringify(before[field]) !== JSON.stringify(theirs[field]),
  )
  const mine = useSignal<ReadonlySet<keyof T>>(new Set(findConflicts({ before, theirs, yours })))
  const error = useSignal<unknown>(undefined)
  const format = (field: keyof T, value: unknown) =>
    value === undefined || value === null ? '–' : (formatValue?.(field, value) ?? String(value))
  const choose = (field: keyof T, on: boolean) => {
    mine.value = new Set(on ? [...mine.value, field] : [...mine.value].filter((one) => one !== field))
  }
  async function onSubmit(event: Event) {
    event.preventDefault()
    try {
      await save(Object.fromEntries([...mine.value].map((field) => [field, yours[field]])) as Partial<T>)
    } catch (failure) {
      error.value = failure
    }
  }
  return (
    <Dialog title={`Someone else changed ${what}`} onClose={onClose} wide>
      <form class="form" onSubmit={onSubmit}>
        <p class="soft">Choose a version for each field. Nothing is saved until you confirm.</p>
        <div class="scroll">
          <table class="list" aria-label="Versions">
            <thead>
              <tr>
                <th>Field</th>
                <th>Before</th>
                <th>Theirs</th>
                <th>Yours</th>
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <tr key={String(field)}>
                  <th scope="row">{labelOf(String(field))}</th>
                  <td class="soft">{format(field, before[field])}</td>
                  <td>
                    <label class="pick">
                      <input
                        type="radio"
                        name={String(field)}
                        checked={!mine.value.has(field)}
                        onChange={() => choose(field, false)}
                      />
                      {format(field, theirs[field])}
                    </label>
                  </td>
                  <td>
                    {field in yours ? (
                      <label class="pick">
                        <input
                          type="radio"
                          name={String(field)}
                          checked={mine.value.has(field)}
                          onChange={() => choose(field, true)}
                        />
                        {format(field, yours[field])}
                      </label>
                    ) : (
                      <span class="soft">unchanged</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {error.value !== undefined && <Failure error={error.value} />}
        <div class="form-foot">
          <button type="submit">{mine.value.size === 0 ? 'Keep theirs' : 'Save selection'}</button>
          <button type="button" class="quiet" onClick={onClose}>
            Back to my edit
          </button>
        </div>
      </form>
    </Dialog>
  )
}
