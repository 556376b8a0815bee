import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { reloadScreens } from '../load.ts'
import { useUnsaved } from '../unsaved.ts'
import { Dialog } from './dialog.tsx'
import { FormDialog } from './form-dialog.tsx'
import { Icon } from './icon.tsx'

interface Props {
  readonly title: string
  readonly about: string
  readonly secret: string
  readonly onClose: () => void
}

const secretLost = {
  title: 'Leave without the secret?',
  text: 'It is shown only once, and cannot be looked up later.',
  keep: 'Stay',
  lose: 'Leave',
}

/** Shows a secret once. Closes only with its button. */
export function SecretDialog({ title, about, secret, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const isCopied = useSignal(false)
  useUnsaved(field, () => true, secretLost)
  async function copy() {
    field.current?.select()
    // Over plain HTTP the browser offers no clipboard; the selected text can be copied by hand.
    await navigator.clipboard?.writeText(secret)
    isCopied.value = navigator.clipboard !== undefined
  }
  return (
    <Dialog title={title} onClose={onClose} isBlocking>
      <p>{about}</p>
      <div class="secret">
        <input
          ref={field}
          readOnly
          aria-label="The secret"
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" onClick={copy}>
          <Icon name={isCopied.value ? 'check' : 'copy'} /> {isCopied.value ? 'Copied' : 'Copy'}
        </button>
      </div>
      <p class="notice">This secret is shown only once. It cannot be looked up later.</p>
      <div class="form-foot">
        <button type="button" class="quiet" onClick={onClose}>
          I’ve saved it
        </button>
      </div>
    </Dialog>
  )
}

interface Grace {
  readonly graceSeconds?: number
}

interface RotateProps {
  readonly title: string
  readonly about: string
  /** The schema of the request body. */
  readonly schema: string
  readonly rotate: (rotation: Grace, idempotencyKey: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks how long the old secret keeps working, and creates a new one. */
export const RotateDialog = ({ title, about, schema, rotate, onClose }: RotateProps) => (
  <FormDialog<Grace>
    title={title}
    about={about}
    schema={schema}
    submit="Rotate"
    send={async (rotation, { idempotencyKey, isLeft }) => {
      await rotate(rotation, idempotencyKey)
      if (!isLeft()) onClose()
      reloadScreens()
    }}
    onClose={onClose}
  />
)
