import { PetStoreError, type Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { finishChanges } from './changes-form.tsx'
import { Conflict, type EditConflict, findConflicts } from './conflict.tsx'
import { Form, type Sending } from './form.tsx'

interface Props<T extends object, P extends object> {
  readonly item: Tagged<T>
  /** The schema of the patch. */
  readonly schema: string
  readonly nameOf: (item: T) => string
  /** The fields that a patch can change, as they are now. */
  readonly fieldsOf: (item: T) => P
  readonly update: (item: Tagged<T>, changes: Partial<P>) => Promise<unknown>
  readonly load: () => Promise<Tagged<T>>
  readonly formatValue?: (field: keyof P, value: unknown) => ComponentChildren
  readonly onClose: () => void
}

interface FoundConflict<T extends object, P> {
  readonly theirs: Tagged<T>
  readonly conflict: EditConflict<P>
}

/** A form that changes an item. If someone else changed it meanwhile, the user resolves the conflict. */
export function Edit<T extends object, P extends object>(props: Props<T, P>) {
  const { item, schema, nameOf, fieldsOf, update, load, formatValue, onClose } = props
  const found = useSignal<FoundConflict<T, P> | undefined>(undefined)

  async function findConflict(before: Tagged<T>, yours: Partial<P>): Promise<FoundConflict<T, P> | undefined> {
    if (Object.keys(yours).length === 0) return undefined
    try {
      await update(before, yours)
    } catch (error) {
      if (!(error instanceof PetStoreError && error.code === 'precondition_failed')) throw error
      const theirs = await load()
      const conflict = { before: fieldsOf(before), theirs: fieldsOf(theirs), yours }
      // No difference left: an earlier try had saved this change, but its response was lost.
      if (findConflicts(conflict).length > 0) return { theirs, conflict }
    }
    return undefined
  }
  const save = (before: Tagged<T>) => async (changes: Partial<P>, sending?: Sending) => {
    found.value = await findConflict(before, changes)
    if (found.value) return
    await finishChanges(onClose, sending)
  }
  return (
    <>
      <Form<Partial<P>>
        schema={schema}
        initial={{ ...item }}
        changesOnly
        submit="Save"
        send={save(item)}
        onCancel={onClose}
      />
      {found.value && (
        <Conflict
          key={JSON.stringify(found.value.conflict)}
          what={nameOf(found.value.theirs)}
          {...found.value.conflict}
          {...(formatValue && { formatValue })}
          save={save(found.value.theirs)}
          onClose={() => (found.value = undefined)}
        />
      )}
    </>
  )
}
