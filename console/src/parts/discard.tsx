import { responseLoss, waitingForConsent } from '../unsaved.ts'
import { Dialog } from './dialog.tsx'

/** Asks before typed input is lost. */
export function Discard() {
  if (!waitingForConsent.value) return null
  return (
    <Dialog title="Discard what you typed?" onClose={() => responseLoss(false)}>
      <p>It is not saved yet.</p>
      <div class="form-foot">
        <button type="button" autofocus onClick={() => responseLoss(false)}>
          Keep typing
        </button>
        <button type="button" class="quiet danger" onClick={() => responseLoss(true)}>
          Discard
        </button>
      </div>
    </Dialog>
  )
}
