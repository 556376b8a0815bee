import { useSignal } from '@preact/signals'
import { labelOf } from '../description.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

export interface Overtaken<T> {
  readonly before: T
  readonly theirs: T
  readonly yours: Partial<T>
}

interface Props<T> extends Overtaken<T> {
  readonly what: string
  /** How a value is shown, where not as it is. */
  readonly name?: (field: keyof T, value: unknown) => string
  /** Sends what was chosen, meant for what the others made of it. */
  readonly save: (changes: Partial<T>) => Promise<unknown>
  readonly onClose: () => void
}

/** What remains to be decided: your changes that are not theirs already. */
export const openQuestions = <T extends object>({ theirs, yours }: Overtaken<T>): (keyof T)[] =>
  (Object.keys(yours) as (keyof T)[]).filter((field) => JSON.stringify(yours[field]) !== JSON.stringify(theirs[field]))

/** An edit that somebody else overtook: what it was, what they made of it, what you want. */
export function Conflict<T extends object>({ what, before, theirs, yours, name, save, onClose }: Props<T>) {
  const fields = (Object.keys(before) as (keyof T)[]).filter(
    (field) => field in yours || JSON.stringify(before[field]) !== JSON.stringify(theirs[field]),
  )
  const mine = useSignal<ReadonlySet<keyof T>>(new Set(openQuestions({ before, theirs, yours })))
  const error = useSignal<unknown>(undefined)
  const shown = (field: keyof T, value: unknown) =>
    value === undefined || value === null ? '–' : (name?.(field, value) ?? String(value))
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
    <Dialog title={`${what} was changed by somebody else`} onClose={onClose} wide>
      <form class="form" onSubmit={onSubmit}>
        <p class="soft">Choose for each field. Nothing is saved until you say so.</p>
        <div class="scroll">
          <table class="list" aria-label="The three versions">
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
                  <td class="soft">{shown(field, before[field])}</td>
                  <td>
                    <label class="pick">
                      <input
                        type="radio"
                        name={String(field)}
                        checked={!mine.value.has(field)}
                        onChange={() => choose(field, false)}
                      />
                      {shown(field, theirs[field])}
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
                        {shown(field, yours[field])}
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
          <button type="submit">{mine.value.size === 0 ? 'Keep theirs' : 'Save what I chose'}</button>
          <button type="button" class="quiet" onClick={onClose}>
            Back to my edit
          </button>
        </div>
      </form>
    </Dialog>
  )
}
