import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

const isOpen = signal(false)
const storageName = 'petstore.single-keys'
const hasSingleKeys = signal(localStorage.getItem(storageName) !== 'off')

export const openShortcuts = (): void => {
  isOpen.value = true
}

const focusSearch = () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus()
/** The button of the screen that creates an item. */
const clickNew = () => document.querySelector<HTMLElement>('main .heading [data-new]')?.click()

const singleKeys: Readonly<Record<string, { readonly about: string; readonly run: () => void }>> = {
  '?': { about: 'Show the shortcuts', run: openShortcuts },
  '/': { about: 'Search the list', run: focusSearch },
  n: { about: 'Create, place or add one', run: clickNew },
}

const otherKeys = [
  ['Ctrl K', 'Search everything, or run a command'],
  ['↑ ↓ Enter', 'Choose in the search and in lists of choices'],
  ['Esc', 'Close a dialog; it asks before something typed is lost'],
] as const

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null

/** Single keys for frequent actions, and the list of them. They can be switched off, for users who dictate text. */
export function Shortcuts() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.repeat)
      const shortcut = isPlain && Object.hasOwn(singleKeys, event.key) ? singleKeys[event.key] : undefined
      if (!shortcut || !hasSingleKeys.value || isTyping(event.target) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      shortcut.run()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  if (!isOpen.value) return null
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (isOpen.value = false)}>
      <dl class="facts shortcuts">
        {[...Object.entries(singleKeys).map(([key, { about }]) => [key, about] as const), ...otherKeys].map(
          ([key, about]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{about}</dd>
            </div>
          ),
        )}
      </dl>
      <label class="pick">
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={(event) => {
            hasSingleKeys.value = event.currentTarget.checked
            localStorage.setItem(storageName, hasSingleKeys.value ? 'on' : 'off')
          }}
        />
        Use single keys as shortcuts
      </label>
    </Dialog>
  )
}
