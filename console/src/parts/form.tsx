import { PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createAttempts } from '../attempt.ts'
import { type Field, fieldsOf } from '../description.ts'
import { reloadScreens } from '../load.ts'
import { useUnsaved } from '../unsaved.ts'
import type { Value } from './control.ts'
import { FieldRow } from './field.tsx'
import { Failure } from './states.tsx'
import { isChanged, toInputValues, toJsonValue, toRequestBody, type Values } from './values.ts'

/** What a form gives to the function that sends its input. */
export interface Sending {
  readonly idempotencyKey: string
  /** Call it once the input is saved, although the form stays until the screen has reloaded. */
  readonly onSaved: () => void
  /** Whether the user has left the form meanwhile: another one may be open. */
  readonly isLeft: () => boolean
}

export interface FormProps<T> {
  /** The schema of the request body. */
  readonly schema: string
  readonly initial?: Readonly<Record<string, unknown>>
  /** Names of the fields to show, in this order; all unless given. */
  readonly only?: readonly string[] | undefined
  /** Whether a field applies, given the values so far. */
  readonly isVisible?: (field: Field, values: Values) => boolean
  readonly submit: string
  readonly tone?: 'danger'
  /** Send only what differs from `initial`, as a merge patch. */
  readonly changesOnly?: boolean
  readonly send: (values: T, sending: Sending) => Promise<unknown>
  readonly onCancel?: () => void
  readonly children?: ComponentChildren
}

/**
 * An edit sends what the user changed, to the version that the user saw when it began, although the screen may load a newer one
 * meanwhile: then the service reports the conflict. Once it has, the edit applies to the version that is loaded.
 */
function usePinned<T>({ initial = {}, send, changesOnly = false }: FormProps<T>) {
  const first = useRef({ initial, send })
  const isReported = useRef(false)
  return {
    initial: changesOnly ? first.current.initial : initial,
    send: changesOnly && !isReported.current ? first.current.send : send,
    acceptLoaded: () => {
      isReported.current = true
    },
  }
}

/** Whether the browser cannot read an input, such as half a date, which has no value. If so, the browser says so. */
const hasUnreadable = (form: HTMLFormElement | null): boolean =>
  [...(form?.elements ?? [])].some(
    (input) => input instanceof HTMLInputElement && input.validity.badInput && !input.reportValidity(),
  )

/** A form generated from the description. Input is kept until the service accepts it. */
export function Form<T extends object>(props: FormProps<T>) {
  const { schema, only, isVisible = () => true, submit, changesOnly = false, onCancel } = props
  const { initial, send, acceptLoaded } = usePinned(props)
  const all = fieldsOf(schema)
  const chosen = only ? only.flatMap((name) => all.filter((field) => field.name === name)) : all
  // A patch requires no field, but a field that cannot be null must not be emptied.
  const fields = changesOnly
    ? chosen.map((field) => ({ ...field, required: !field.nullable && initial[field.name] !== undefined }))
    : chosen
  const values = useSignal<Values>(toInputValues(fields, initial))
  const start = useRef(values.value)
  const sent = useRef(values.value)
  const form = useRef<HTMLFormElement>(null)
  useUnsaved(form, () => isChanged(values.value, start.current))
  const isOpen = useRef(true)
  useEffect(
    () => () => {
      isOpen.current = false
    },
    [],
  )
  const attempt = useMemo(createAttempts, [])
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const visible = fields.filter((field) => isVisible(field, values.value))
  const faults = error.value instanceof PetStoreError ? error.value.errors : []
  const faultOf = (field: Field) => {
    const own = faults.filter(({ path }) => path === `/${field.name}` || path.startsWith(`/${field.name}/`))
    if (own.length === 0) return undefined
    const isMissing = field.required && toJsonValue(field, sent.current[field.name]) === undefined
    return isMissing ? (field.needed ?? 'This is required') : own.map(({ message }) => message).join('; ')
  }
  const hasFaultFor = visible.some((field) => faultOf(field))
  useEffect(() => {
    const first = form.current?.querySelector('.fault')?.closest('.field')
    first?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [error.value])

  async function onSubmit(event: Event) {
    event.preventDefault()
    if (isBusy.value || hasUnreadable(form.current)) return
    isBusy.value = true
    error.value = undefined
    sent.current = values.value
    const body = toRequestBody(visible, values.value, changesOnly ? initial : undefined) as T
    try {
      await attempt(body, (idempotencyKey) =>
        send(body, {
          idempotencyKey,
          onSaved() {
            start.current = sent.current
          },
          isLeft: () => !isOpen.current,
        }),
      )
    } catch (failure) {
      error.value = failure
      // Load the current version; the input is kept, and the next submit applies to that version.
      if (failure instanceof PetStoreError && failure.code === 'precondition_failed') {
        acceptLoaded()
        reloadScreens()
      }
    }
    isBusy.value = false
  }
  const change = (name: string) => (value: Value) => {
    values.value = { ...values.value, [name]: value }
  }
  return (
    // Not validated by the browser, which reports only one fault at a time.
    <form ref={form} class="form" onSubmit={onSubmit} noValidate>
      {visible.map((field, index) => (
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
        <button type="submit" class={props.tone} disabled={isBusy.value}>
          {isBusy.value ? 'Sending…' : submit}
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
