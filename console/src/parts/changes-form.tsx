import { reloadScreens } from '../load.ts'
import { Form, type FormProps } from './form.tsx'
import { toast } from './toasts.tsx'

interface Props<T> extends Pick<FormProps<T>, 'schema' | 'initial' | 'only' | 'isVisible'> {
  readonly save: (changes: T) => Promise<unknown>
  readonly onClose: () => void
}

/** A form that changes something in place. */
export const ChangesForm = <T extends object>({ save, onClose, ...form }: Props<T>) => (
  <Form<T>
    {...form}
    changesOnly
    submit="Save"
    send={async (changes, { onSaved, closeWith }) => {
      await save(changes)
      onSaved()
      await finishChanges(() => closeWith(onClose))
    }}
    onCancel={onClose}
  />
)

/** Says that changes are saved, and closes their form once the screen shows them. */
export async function finishChanges(close: () => void): Promise<void> {
  toast({ text: 'Saved.' })
  await reloadScreens()
  close()
}
