import { Dialog } from './dialog.tsx'
import { Form, type FormProps } from './form.tsx'

interface Props<T> extends Omit<FormProps<T>, 'onCancel' | 'children'> {
  readonly title: string
  readonly about?: string
  readonly wide?: boolean
  readonly onClose: () => void
}

/** A form in a dialog. */
export const FormDialog = <T extends object>({ title, about, wide = false, onClose, ...form }: Props<T>) => (
  <Dialog title={title} onClose={onClose} wide={wide}>
    {about && <p>{about}</p>}
    <Form<T> {...form} onCancel={onClose} />
  </Dialog>
)
