import { reloadScreens } from '../load.ts'
import { Form, type FormProps, type Sending } from './form.tsx'
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
    send={async (changes, sending) => {
      await save(changes)
      // The user may leave it while the screen reloads, and begin another edit.
      const close = () => {
        if (!sending.isLeft()) onClose()
      }
      await finishChanges(close, sending)
    }}
    onCancel={onClose}
  />
)

/** Says that changes are saved, and closes their form once the screen shows them. */
export async function finishChanges(close: () => void, sending?: Sending): Promise<void> {
  const isLeft = sending?.isLeft() ?? false
  sending?.onSaved()
  toast({ text: 'Saved.' })
  await reloadScreens()
  if (!isLeft) close()
}
