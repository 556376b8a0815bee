import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { revision } from './connection.ts'
import { loadDescription } from './description.ts'
import { Dialog } from './parts/dialog.tsx'
import { Frame } from './parts/frame.tsx'
import { Loading } from './parts/states.tsx'
import { Toasts } from './parts/toasts.tsx'
import { SignIn, SignInForm } from './screens/sign-in.tsx'
import { locked, rememberedKey, session, signIn } from './session.ts'

/** Signs in with the key of this tab where there is one, and shows the screen that the address names. */
export function App() {
  const error = useSignal<unknown>(undefined)
  const ready = useSignal(false)
  const again = revision.value
  useEffect(() => {
    if (ready.value) return
    const key = rememberedKey()
    Promise.all([loadDescription(), key && !session.value && signIn(key)]).then(
      () => {
        error.value = undefined
        ready.value = true
      },
      (failure) => {
        error.value = failure
      },
    )
  }, [again])
  if (!ready.value) {
    if (error.value === undefined) return <Loading />
    return <SignIn error={error.value} />
  }
  if (!session.value) return <SignIn />
  return (
    <>
      <Frame />
      <Toasts />
      {locked.value && (
        <Dialog title="Your key no longer works" onClose={() => undefined} modal="insists">
          <p>It has expired or was revoked. Nothing on the screen is lost: give another key to go on.</p>
          <SignInForm />
        </Dialog>
      )}
    </>
  )
}
