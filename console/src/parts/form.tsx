import { PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Field, fieldsOf } from '../description.ts'
import { changed } from '../load.ts'
import { FieldRow, type Value } from './field.tsx'
import { Failure } from './states.tsx'
import { sentOf, typedOf, type Values } from './values.ts'

interface Props<T> {
  /** The shape of the description that is sent. */
  readonly schema: string
  readonly initial?: Readonly<Record<string, unknown>>
  /** Names of the fields to show, in this order; all unless given. */
  readonly only?: readonly string[] | undefined
  /** Whether a field makes sense beside what is typed so far. */
  readonly shows?: (field: Field, values: Values) => boolean
  readonly submit: string
  readonly tone?: 'danger'
  /** Only what differs from `initial`, as a merge patch wants it. */
  readonly changesOnly?: boolean
  readonly send: (values: T) => Promise<unknown>
  readonly onCancel?: () => void
  readonly children?: ComponentChildren
}

/** A form made from the description. What was typed stays until it was accepted. */
export function Form<T extends object>(props: Props<T>) {
  const { schema, initial = {}, only, shows = () => true, submit, changesOnly = false, send, onCancel } = props
  const all = fieldsOf(schema)
  const chosen = only ? only.flatMap((name) => all.filter((field) => field.name === name)) : all
  // A patch asks for no field; but what has a value and cannot be without one must not be emptied.
  const fields = changesOnly
    ? chosen.map((field) => ({ ...field, required: !field.nullable && initial[field.name] !== undefined }))
    : chosen
  const values = useSignal<Values>(typedOf(fields, initial))
  const error = useSignal<unknown>(undefined)
  const busy = useSignal(false)
  const shown = fields.filter((field) => shows(field, values.value))
  const faults = error.value instanceof PetStoreError ? error.value.errors : []
  const faultOf = ({ name }: Field) =>
    faults
      .filter(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))
      .map(({ message }) => message)
      .join('; ') || undefined
  const hasFaultFor = shown.some((field) => faultOf(field))

  async function onSubmit(event: Event) {
    event.preventDefault()
    if (busy.value) return
    busy.value = true
    error.value = undefined
    const sent = sentOf(shown, values.value, changesOnly ? initial : undefined) as T
    try {
      await send(sent)
    } catch (failure) {
      error.value = failure
      // What it is now is loaded; what was typed stays, and is sent for that state the next time.
      if (failure instanceof PetStoreError && failure.code === 'precondition_failed') changed()
    }
    busy.value = false
  }
  const change = (name: string) => (value: Value) => {
    values.value = { ...values.value, [name]: value }
  }
  return (
    <form class="form" onSubmit={onSubmit}>
      {shown.map((field, index) => (
        <FieldRow
          key={field.name}
          field={field}
          value={values.value[field.name]}
          onChange={change(field.name)}
          fault={faultOf(field)}
          autoFocus={index === 0}
        />
      ))}
      {props.children}
      {error.value !== undefined && !hasFaultFor && <Failure error={error.value} />}
      <div class="form-foot">
        <button type="submit" class={props.tone} disabled={busy.value}>
          {busy.value ? 'Sending…' : submit}
        </button>
        {onCancel && (
          <button type="button" class="quiet" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}
