import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { go, hrefOf } from '../router.ts'
import { actions, screens } from '../screens.ts'
import { may, signOut, store } from '../session.ts'
import { sendAllDeletions } from '../undo.ts'
import { Dialog } from './dialog.tsx'

interface Entry {
  readonly name: string
  readonly kind: string
  readonly run: () => void
}

const isOpen = signal(false)
const typingMs = 150

export const openPalette = (): void => {
  isOpen.value = true
}

/** Ctrl-K or Cmd-K: go anywhere and do anything by typing. */
export function Palette() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      isOpen.value = !isOpen.value
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return isOpen.value ? <Open /> : null
}

/** All that can be gone to or done by name. */
function fixedEntries(): Entry[] {
  const to =
    (path: string, values = {}) =>
    () =>
      go(hrefOf(path, values))
  return [
    ...screens
      .filter(({ scope }) => !scope || may(scope))
      .map(({ path, name }) => ({ name, kind: 'Go to', run: to(path) })),
    ...actions
      .filter(({ scope }) => may(scope))
      .map(({ name, path, act }) => ({ name, kind: 'Do', run: to(path, { do: act }) })),
    {
      name: 'Sign out',
      kind: 'Do',
      run: () => {
        sendAllDeletions()
        signOut()
      },
    },
  ]
}

async function search(text: string, signal: AbortSignal): Promise<Entry[]> {
  const id = /^#?\d{1,15}$/.test(text) ? text.replace('#', '') : undefined
  const pets = may('pets:read') ? (await store().pets.list({ q: text, limit: 6 }, { signal }).firstPage()).items : []
  return [
    ...(id && may('orders:read')
      ? [{ name: `Order ${id}`, kind: 'Order', run: () => go(hrefOf(`/orders/${id}`)) }]
      : []),
    ...(id && may('pets:read') ? [{ name: `Pet ${id}`, kind: 'Pet', run: () => go(hrefOf(`/pets/${id}`)) }] : []),
    ...pets.map((pet) => ({ name: pet.name, kind: `Pet ${pet.id}`, run: () => go(hrefOf(`/pets/${pet.id}`)) })),
  ]
}

function Open() {
  const text = useSignal('')
  const found = useSignal<readonly Entry[]>([])
  const active = useSignal(0)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const typed = text.value.trim()
  useEffect(() => {
    found.value = []
    if (typed === '') return
    const ended = new AbortController()
    const timer = setTimeout(async () => {
      const entries = await search(typed, ended.signal).catch(() => [])
      if (!ended.signal.aborted) found.value = entries
    }, typingMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [typed])
  const words = typed.toLowerCase().split(/\s+/)
  const entries = [
    ...fixedEntries().filter(({ name, kind }) => words.every((word) => `${kind} ${name}`.toLowerCase().includes(word))),
    ...found.value,
  ]
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    isOpen.value = false
    entry.run()
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      active.value = (active.value + step + entries.length) % Math.max(1, entries.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(entries[active.value])
    }
  }
  return (
    <Dialog
      title="Search or do something"
      onClose={() => {
        isOpen.value = false
      }}
    >
      <div class="palette">
        <input
          ref={field}
          role="combobox"
          aria-label="Search or do something"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[active.value] ? `palette-${active.value}` : undefined}
          autocomplete="off"
          placeholder="A screen, an action, a pet’s name, a number"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            active.value = 0
          }}
          onKeyDown={onKeyDown}
        />
        <div id="palette-list" role="listbox" aria-label="What can be done" tabIndex={-1}>
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field, which has the focus
            <div
              key={`${entry.kind} ${entry.name} ${index}`}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active.value}
              onClick={() => run(entry)}
            >
              <span>{entry.name}</span> <span class="soft">{entry.kind}</span>
            </div>
          ))}
          {entries.length === 0 && <p class="soft">Nothing found</p>}
        </div>
      </div>
    </Dialog>
  )
}
