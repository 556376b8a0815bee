import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { changed } from '../load.ts'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { Icon } from './icon.tsx'

interface Props {
  readonly title: string
  readonly about: string
  readonly secret: string
  readonly onClose: () => void
}

/** A secret, shown this once. It closes only when somebody says so. */
export function SecretDialog({ title, about, secret, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const copied = useSignal(false)
  async function copy() {
    field.current?.select()
    // Over plain HTTP to another host the browser has no clipboard for us; what is selected can be copied by hand.
    await navigator.clipboard?.writeText(secret)
    copied.value = navigator.clipboard !== undefined
  }
  return (
    <Dialog title={title} onClose={onClose} modal="insists">
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
          <Icon name={copied.value ? 'check' : 'copy'} /> {copied.value ? 'Copied' : 'Copy'}
        </button>
      </div>
      <p class="notice">It is shown only this once. Nobody can look it up later, not even here.</p>
      <div class="form-foot">
        <button type="button" class="quiet" onClick={onClose}>
          I have kept it
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
  /** The schema of what is asked for. */
  readonly schema: string
  readonly rotate: (how: Grace) => Promise<void>
  readonly onClose: () => void
}

/** Asks for how long the old secret goes on, and gets a new one. */
export const RotateDialog = ({ title, about, schema, rotate, onClose }: RotateProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{about}</p>
    <Form<Grace>
      schema={schema}
      submit="Rotate"
      send={async (how) => {
        await rotate(how)
        onClose()
        changed()
      }}
      onCancel={onClose}
    />
  </Dialog>
)
