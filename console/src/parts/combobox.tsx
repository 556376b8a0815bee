import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'
import { toastFailure } from './toasts.tsx'

export interface Choice {
  readonly id: number
  readonly name: string
  readonly detail?: string
}

interface Props {
  readonly id?: string
  readonly label?: string
  readonly value: Choice | undefined
  readonly onChoose: (choice: Choice | undefined) => void
  readonly search: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>
  /** Creates an item with the typed name, if there is none. */
  readonly create?: ((name: string) => Promise<Choice>) | undefined
  readonly placeholder?: string
  readonly required?: boolean
  readonly describedBy?: string | undefined
  readonly invalid?: boolean
}

const typingMs = 150
/** Stands for an item that does not exist yet. */
const newId = 0

/** Selects an item by name: search as you type, arrows, Enter, Escape. */
export function Combobox(props: Props) {
  const { id, label, value, onChoose, search, create, placeholder, required, describedBy, invalid } = props
  const text = useSignal(value?.name ?? '')
  const found = useSignal<readonly Choice[] | undefined>(undefined)
  const hasFailed = useSignal(false)
  const active = useSignal(0)
  const field = useRef<HTMLInputElement>(null)
  const pendingSearch = useRef<AbortController | undefined>(undefined)
  const listId = `${id ?? label}-choices`

  useEffect(() => {
    text.value = value?.name ?? ''
  }, [value?.id, value?.name])
  useEffect(() => () => pendingSearch.current?.abort(), [])

  function startSearch(typed: string, delayMs: number) {
    pendingSearch.current?.abort()
    pendingSearch.current = new AbortController()
    const { signal } = pendingSearch.current
    setTimeout(async () => {
      if (signal.aborted) return
      const choices = await search(typed.trim(), signal).catch(() => undefined)
      if (signal.aborted) return
      pendingSearch.current = undefined
      hasFailed.value = choices === undefined
      found.value = choices === undefined ? [] : withNew(choices, typed.trim())
      active.value = 0
    }, delayMs)
  }
  function close() {
    pendingSearch.current?.abort()
    pendingSearch.current = undefined
    found.value = undefined
  }
  /** Offers to create what was typed, unless it exists. */
  function withNew(choices: readonly Choice[], name: string): readonly Choice[] {
    const isThere = choices.some((choice) => choice.name.toLowerCase() === name.toLowerCase())
    return create && name && !isThere ? [...choices, { id: newId, name: `Create “${name}”` }] : choices
  }
  async function createNew() {
    const name = text.value.trim()
    close()
    try {
      const created = await create?.(name)
      if (created) choose(created)
    } catch (error) {
      toastFailure(error)
    }
  }
  function choose(choice: Choice | undefined) {
    if (choice?.id === newId) {
      createNew()
      return
    }
    close()
    text.value = choice?.name ?? ''
    onChoose(choice)
  }
  function onKeyDown(event: KeyboardEvent) {
    const choices = found.value
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!choices) return startSearch('', 0)
      const step = event.key === 'ArrowDown' ? 1 : -1
      active.value = (active.value + step + choices.length) % Math.max(1, choices.length)
    } else if (event.key === 'Enter' && (choices || pendingSearch.current)) {
      event.preventDefault()
      // The list may still be that of an earlier text.
      const choice = pendingSearch.current ? undefined : choices?.[active.value]
      if (choice) choose(choice)
    } else if (event.key === 'Escape' && choices) {
      // Only the list closes, not the dialog around it.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }
  function toggle() {
    field.current?.focus()
    if (found.value) close()
    else startSearch('', 0)
  }
  function clear() {
    choose(undefined)
    field.current?.focus()
  }
  const choices = found.value
  const emptyText = () => {
    if (hasFailed.value) return 'The search failed'
    return create ? 'Nothing here yet. Type a name to create one.' : 'Nothing found'
  }
  return (
    <div class="combobox">
      <input
        ref={field}
        id={id}
        role="combobox"
        aria-label={label}
        aria-expanded={choices !== undefined}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={choices?.[active.value] ? `${listId}-${active.value}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={invalid}
        autocomplete="off"
        placeholder={placeholder}
        required={required}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          if (text.value === '') onChoose(undefined)
          startSearch(text.value, typingMs)
        }}
        onClick={() => choices === undefined && startSearch('', 0)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          close()
          // Text that was typed but not chosen is dropped.
          text.value = text.value === '' ? '' : (value?.name ?? '')
        }}
      />
      <span class="combobox-buttons">
        {text.value !== '' && !required && <ChoiceButton icon="close" label="Clear the choice" onClick={clear} />}
        <ChoiceButton icon="down" label="Show the choices" onClick={toggle} />
      </span>
      <div id={listId} role="listbox" aria-label="Choices" hidden={choices === undefined} tabIndex={-1}>
        {choices?.length === 0 && <p class="soft">{emptyText()}</p>}
        {choices?.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the focused field handles the keys
          <div
            key={choice.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active.value}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(choice)}
          >
            {choice.name} {choice.detail && <span class="soft">{choice.detail}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}

interface ButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly onClick: () => void
}

/** For the mouse: by keyboard an arrow opens the list, and emptying the field clears the choice. */
const ChoiceButton = ({ icon, label, onClick }: ButtonProps) => (
  <button
    type="button"
    class="icon"
    aria-label={label}
    tabIndex={-1}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)
