import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Field } from '../description.ts'
import { meaningsOf } from '../description.ts'
import { hasScope } from '../session.ts'
import type { Control, FieldProps } from './control.ts'
import { EventTypes } from './event-types.tsx'
import { CategoryPicker, PetPicker } from './pickers.tsx'
import { PresetCards } from './preset-cards.tsx'

// Input controls for the fields of the description. Values are kept as typed; values.ts converts them.

/** Ids that are selected by name. */
const pickers = { categoryId: CategoryPicker, petId: PetPicker } as const

export function FieldRow({ field, value, onChange, fault, autoFocus = false }: FieldProps) {
  const id = useId()
  const help = `${id}-help`
  const describedBy = field.help || fault ? help : undefined
  const control = { id, field, value, onChange, describedBy, invalid: fault !== undefined, autoFocus }
  if (field.kind === 'choices' || field.kind === 'group' || field.name === 'preset') {
    return (
      <fieldset class="field">
        <legend>{field.label}</legend>
        <Input {...control} />
        <Help id={help} text={field.help} fault={fault} />
      </fieldset>
    )
  }
  return (
    <div class={field.kind === 'flag' ? 'field flag' : 'field'}>
      <label for={id}>
        {field.label}
        {!field.required && field.kind !== 'flag' && <span class="soft"> optional</span>}
      </label>
      <Input {...control} />
      <Help id={help} text={field.help} fault={fault} />
    </div>
  )
}

const Help = ({ id, text, fault }: { id: string; text: string; fault: string | undefined }): ComponentChildren => (
  <p id={id} class="help">
    {fault && <strong class="fault">{`${fault.charAt(0).toUpperCase()}${fault.slice(1)}. `}</strong>}
    {/* Text in backticks is code. */}
    {text
      .split('\n', 1)[0]
      ?.split('`')
      .map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))}
  </p>
)

function Input(control: Control) {
  const { id, field, value, onChange, describedBy, invalid, autoFocus = false } = control
  const common = { id, 'aria-describedby': describedBy, 'aria-invalid': invalid, required: field.required }
  const focus = { ref: (element: HTMLElement | null) => void (autoFocus && focusOnce(element)) }
  // A key that cannot see pets types the number instead.
  const Picker =
    field.name in pickers && hasScope('pets:read') ? pickers[field.name as keyof typeof pickers] : undefined
  if (Picker) {
    const chosen = value === undefined || value === '' ? undefined : Number(value)
    return (
      <Picker
        id={id}
        value={chosen}
        onChange={onChange}
        required={field.required}
        placeholder="Search by name"
        canCreate
        {...(describedBy && { describedBy })}
        invalid={invalid}
      />
    )
  }
  const typed = typeof value === 'string' || typeof value === 'number' ? value : ''
  if (field.amounts) {
    return (
      <select {...common} {...focus} value={typed} onChange={(event) => onChange(event.currentTarget.value)}>
        {field.amounts.map(([amount, text]) => (
          <option key={amount} value={amount}>
            {text}
          </option>
        ))}
      </select>
    )
  }
  switch (field.kind) {
    case 'choice':
      if (field.name === 'preset') return <PresetCards {...control} />
      return (
        <select {...common} {...focus} value={typed} onChange={(event) => onChange(event.currentTarget.value)}>
          {!field.required && <option value="">–</option>}
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )
    case 'flag':
      return (
        <input
          {...common}
          required={false}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'paragraph':
      return (
        <textarea
          {...common}
          {...focus}
          class="prose"
          rows={3}
          maxLength={field.maxLength}
          value={typed}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'choices':
      return field.name === 'events' ? <EventTypes {...control} /> : <Choices {...control} />
    case 'group':
      return <Group {...control} />
    default:
      return (
        <input
          {...common}
          {...focus}
          {...inputAttributes(field)}
          value={typed}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}

function inputAttributes({ kind, min, max, maxLength }: Field) {
  if (kind === 'integer') return { type: 'number', step: 1, min, max } as const
  return kind === 'time' ? ({ type: 'datetime-local' } as const) : ({ type: 'text', maxLength } as const)
}

/** Focuses the field when it appears, but not on every render. */
function focusOnce(element: HTMLElement | null): void {
  if (!element || element.dataset.focused) return
  element.dataset.focused = 'yes'
  element.focus()
}

function Choices({ field, value, onChange }: Control) {
  const chosen = new Set(Array.isArray(value) ? (value as readonly string[]) : [])
  const meanings = meaningsOf('Scope')
  return (
    <div class="choices">
      {field.choices.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.has(choice)}
            onChange={(event) => {
              const on = event.currentTarget.checked
              onChange(field.choices.filter((one) => (one === choice ? on : chosen.has(one))))
            }}
          />
          <span>
            <code>{choice}</code> {meanings.get(choice)}
          </span>
        </label>
      ))}
    </div>
  )
}

function Group({ field, value, onChange }: Control) {
  const values = (typeof value === 'object' && !Array.isArray(value) ? value : {}) as Record<string, string>
  return (
    <div class="group">
      {field.fields.map((part) => (
        <FieldRow
          key={part.name}
          field={{ ...part, required: false }}
          value={values[part.name]}
          onChange={(typed) => onChange({ ...values, [part.name]: String(typed ?? '') })}
        />
      ))}
    </div>
  )
}
