import { resolveLoss, waitingForConsent } from '../unsaved.ts'
import { Dialog } from './dialog.tsx'

/** Asks before typed input, or something else, is lost. */
export function Discard() {
  if (!waitingForConsent.value) return null
  const { title, text, keep, lose } = waitingForConsent.value
  return (
    <Dialog title={title} onClose={() => resolveLoss(false)}>
      <p>{text}</p>
      <div class="form-foot">
        <button type="button" autofocus onClick={() => resolveLoss(false)}>
          {keep}
        </button>
        <button type="button" class="quiet danger" onClick={() => resolveLoss(true)}>
          {lose}
        </button>
      </div>
    </Dialog>
  )
}
