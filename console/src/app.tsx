import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { revision } from './connection.ts'
import { loadDescription } from './description.ts'
import { BulkProgress } from './parts/bulk.tsx'
import { Dialog } from './parts/dialog.tsx'
import { Discard } from './parts/discard.tsx'
import { Frame } from './parts/frame.tsx'
import { Loading } from './parts/states.tsx'
import { SignIn, SignInForm } from './screens/sign-in.tsx'
import { isLocked, rememberedKey, session, signIn } from './session.ts'

/** Signs in with the key that this tab or browser remembers, if any, and shows the screen of the address. */
export function App() {
  const error = useSignal<unknown>(undefined)
  const isReady = useSignal(false)
  const currentRevision = revision.value
  useEffect(() => {
    if (isReady.value) return
    const key = rememberedKey()
    Promise.all([loadDescription(), key && !session.value && signIn(key)]).then(
      () => {
        error.value = undefined
        isReady.value = true
      },
      (failure) => {
        error.value = failure
      },
    )
  }, [currentRevision])
  if (!isReady.value) {
    if (error.value === undefined) return <Loading />
    return <SignIn error={error.value} />
  }
  if (!session.value) return <SignIn />
  return (
    <>
      <Frame />
      <BulkProgress />
      <Discard />
      {isLocked.value && (
        <Dialog title="Your key no longer works" onClose={() => undefined} isBlocking>
          <p>It has expired or was revoked. Enter another key to continue; nothing on the screen is lost.</p>
          <SignInForm />
        </Dialog>
      )}
    </>
  )
}
