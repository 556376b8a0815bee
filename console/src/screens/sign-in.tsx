import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { docsUrl, iconUrl } from '../base-url.ts'
import { connection } from '../connection.ts'
import { loadDescription } from '../description.ts'
import { explain } from '../explain.ts'
import { isMistyped } from '../key-form.ts'
import { signIn } from '../session.ts'

export function SignIn({ error }: { error?: unknown }) {
  useEffect(() => {
    document.title = 'Sign in · Pet Store console'
  }, [])
  return (
    <main class="sign-in" id="main">
      <img src={iconUrl} width="48" height="48" alt="" />
      <h1>Pet Store console</h1>
      <p class="soft">Manage your shop</p>
      <SignInForm error={error} />
      <p class="soft small">
        The first start of the service prints an administrator’s key. <a href={`${docsUrl}/guides/keys`}>About keys</a>
      </p>
    </main>
  )
}

interface Fault {
  readonly title: string
  readonly text: string
  readonly requestId?: string | undefined
}

const mistyped: Fault = {
  title: 'This is not an API key',
  text: 'It is mistyped or incomplete: a key is ps_ followed by 36 letters and digits. Copy it again.',
}

/** The key is kept for this tab, or for this browser if the user chooses so, and never appears in the address. */
export function SignInForm({ error }: { error?: unknown }) {
  const field = useRef<HTMLInputElement>(null)
  const isBusy = useSignal(false)
  const keep = useSignal(false)
  const fault = useSignal<Fault | undefined>(error === undefined ? undefined : explain(error))
  useEffect(() => field.current?.focus(), [])
  async function onSubmit(event: Event) {
    event.preventDefault()
    const key = field.current?.value.trim() ?? ''
    if (isMistyped(key)) {
      fault.value = mistyped
      return
    }
    isBusy.value = true
    try {
      await loadDescription()
      await signIn(key, { keep: keep.value })
    } catch (failure) {
      fault.value = explain(failure)
    }
    isBusy.value = false
  }
  const { value: problem } = fault
  return (
    <form class="form" onSubmit={onSubmit}>
      <div class="field">
        <label for="key">API key</label>
        <input
          id="key"
          ref={field}
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="ps_…"
          aria-invalid={problem !== undefined}
          aria-describedby="key-fault"
        />
      </div>
      <div class="field flag">
        <label for="keep">Keep me signed in on this browser</label>
        <input
          id="keep"
          type="checkbox"
          checked={keep.value}
          aria-describedby="keep-help"
          onChange={(event) => (keep.value = event.currentTarget.checked)}
        />
        <p class="help" id="keep-help">
          Until you sign out, or for 30 days without use. Only on a computer that no one else uses.
        </p>
      </div>
      <div id="key-fault" role="alert">
        {problem && (
          <div class="failure">
            <p>
              <strong>{problem.title}</strong>
            </p>
            <p>{problem.text}</p>
            {problem.requestId && (
              <p>
                <small>
                  Request <code>{problem.requestId}</code>
                </small>
              </p>
            )}
          </div>
        )}
      </div>
      <button type="submit" disabled={isBusy.value}>
        {isBusy.value ? (connection.value === 'good' ? 'Signing in…' : 'Waiting for the service…') : 'Sign in'}
      </button>
    </form>
  )
}
