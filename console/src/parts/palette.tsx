import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Command, findThings, fixedCommands, screenCommands } from '../commands.ts'
import { Dialog } from './dialog.tsx'
import { Unseen } from './unseen.tsx'

const isOpen = signal(false)
const typingMs = 150

export const openPalette = (): void => {
  isOpen.value = true
}

/** The command palette: Ctrl-K or Cmd-K. */
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

function Open() {
  const text = useSignal('')
  const found = useSignal<readonly Command[]>([])
  const active = useSignal(0)
  const field = useRef<HTMLInputElement>(null)
  const onScreen = useMemo(screenCommands, [])
  useEffect(() => field.current?.focus(), [])
  const typed = text.value.trim()
  useEffect(() => {
    found.value = []
    if (typed === '') return
    const ended = new AbortController()
    const timer = setTimeout(async () => {
      const commands = await findThings(typed, ended.signal).catch(() => [])
      if (!ended.signal.aborted) found.value = commands
    }, typingMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [typed])
  const words = typed.toLowerCase().split(/\s+/)
  const commands = [
    ...[...onScreen, ...fixedCommands()].filter(({ name, kind }) =>
      words.every((word) => `${kind} ${name}`.toLowerCase().includes(word)),
    ),
    ...found.value,
  ]
  const run = (command: Command | undefined) => {
    if (!command) return
    isOpen.value = false
    command.run()
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      active.value = (active.value + step + commands.length) % Math.max(1, commands.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(commands[active.value])
    }
  }
  return (
    <Dialog
      title="Search or run a command"
      onClose={() => {
        isOpen.value = false
      }}
    >
      <div class="palette">
        <input
          ref={field}
          role="combobox"
          aria-label="Search or run a command"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={commands[active.value] ? `palette-${active.value}` : undefined}
          autocomplete="off"
          placeholder="order 16, banned, docs, a pet…"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            active.value = 0
          }}
          onKeyDown={onKeyDown}
        />
        <div id="palette-list" role="listbox" aria-label="Commands" tabIndex={-1}>
          {commands.map((command, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the focused field handles the keys
            <div
              key={`${command.kind} ${command.name} ${index}`}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active.value}
              onClick={() => run(command)}
            >
              <span>{command.name}</span> <span class="soft">{command.kind}</span>
            </div>
          ))}
          {commands.length === 0 && <p class="soft">Nothing found</p>}
          <Unseen scope="pets:read">pets</Unseen>
        </div>
      </div>
    </Dialog>
  )
}
