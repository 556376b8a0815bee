import { answerLoss, waitingForConsent } from '../unsaved.ts'
import { Dialog } from './dialog.tsx'

/** Asks before typed input is lost. */
export function Discard() {
  if (!waitingForConsent.value) return null
  return (
    <Dialog title="Discard what you typed?" onClose={() => answerLoss(false)}>
      <p>It is not saved yet.</p>
      <div class="form-foot">
        <button type="button" autofocus onClick={() => answerLoss(false)}>
          Keep typing
        </button>
        <button type="button" class="quiet danger" onClick={() => answerLoss(true)}>
          Discard
        </button>
      </div>
    </Dialog>
  )
}
