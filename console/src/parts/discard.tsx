import { resolveLoss, waitingForConsent } from '../unsaved.ts'
import { Dialog } from './dialog.tsx'

/** Asks before typed input is lost. */
export function Discard() {
  if (!waitingForConsent.value) return null
  return (
    <Dialog title="Discard what you typed?" onClose={() => resolveLoss(false)}>
      <p>It is not saved yet.</p>
      <div class="form-foot">
        <button type="button" autofocus onClick={() => resolveLoss(false)}>
          Keep typing
        </button>
        <button type="button" class="quiet danger" onClick={() => resolveLoss(true)}>
          Discard
        </button>
      </div>
    </Dialog>
  )
}
