import { meaningsOf } from '../description.ts'
import type { Control } from './control.ts'

/** Who each preset is for; what it may do follows from its scopes. */
const purposes: Readonly<Record<string, string>> = {
  reader: 'Looks at pets, categories and stock, and changes nothing. For displays and search.',
  client: 'Also places orders, sees its own and gets webhooks. For a website or an app.',
  staff: 'Runs the shop: pets, stock and everyone’s orders. For people who work there.',
  admin: 'Everything, keys included. For those who run the API.',
}

/** Chooses what a key may do: a preset, or scopes one by one. */
export function PresetCards({ id, field, value, onChange }: Control) {
  const scopes = meaningsOf('Preset')
  const card = (choice: string, title: string, text: string) => (
    <label key={choice} class="choice-card">
      <input type="radio" name={id} checked={(value ?? '') === choice} onChange={() => onChange(choice || undefined)} />
      <span>
        <strong>{title}</strong>
        <span>{text}</span>
        {scopes.has(choice) && <small class="soft">{scopes.get(choice)}</small>}
      </span>
    </label>
  )
  return (
    <div class="choice-cards">
      {field.choices.map((choice) => card(choice, choice, purposes[choice] ?? ''))}
      {card('', 'custom', 'Choose the scopes one by one.')}
    </div>
  )
}
