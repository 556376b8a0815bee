import { useEffect, useRef } from 'preact/hooks'
import type { Control } from './control.ts'

// Chooses the events of a webhook by what they are about: all, all of one thing, or single types.

const names: Readonly<Record<string, string>> = {
  pet: 'Pets',
  category: 'Categories',
  order: 'Orders',
  inventory: 'Stock',
  key: 'API keys',
  webhook: 'Webhooks',
}
const all = '*'

export function EventTypes({ id, field, value, onChange, describedBy }: Control) {
  const chosen = new Set(Array.isArray(value) ? (value as readonly string[]) : [])
  const isAll = chosen.has(all)
  const kinds = field.choices.filter((choice) => choice.endsWith('.*')).map((choice) => choice.slice(0, -2))
  const change = (next: Iterable<string>) => onChange(field.choices.filter((choice) => new Set(next).has(choice)))
  return (
    <div class="choices" id={id} aria-describedby={describedBy}>
      <label>
        <input type="checkbox" checked={isAll} onChange={() => change(isAll ? [] : [all])} />
        <span>All events, including kinds added later</span>
      </label>
      {!isAll &&
        kinds.map((kind) => (
          <Kind
            key={kind}
            kind={kind}
            types={field.choices.filter((choice) => choice.startsWith(`${kind}.`) && !choice.endsWith('*'))}
            chosen={chosen}
            onChange={change}
          />
        ))}
    </div>
  )
}

interface KindProps {
  readonly kind: string
  readonly types: readonly string[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (next: Iterable<string>) => void
}

/** The events of one kind of thing: all of them, or single ones. */
function Kind({ kind, types, chosen, onChange }: KindProps) {
  const pattern = `${kind}.*`
  const isWhole = chosen.has(pattern)
  const some = types.filter((type) => isWhole || chosen.has(type))
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = !isWhole && some.length > 0
  })
  const others = [...chosen].filter((one) => one !== pattern && !types.includes(one))
  const toggle = (type: string) => {
    const kept = some.includes(type) ? some.filter((one) => one !== type) : [...some, type]
    onChange([...others, ...kept])
  }
  const name = names[kind] ?? kind
  return (
    <div class="kind">
      <label>
        <input
          ref={box}
          type="checkbox"
          checked={isWhole}
          onChange={() => onChange(isWhole ? others : [...others, pattern])}
        />
        <span>{name}</span>
      </label>
      <details open={!isWhole && some.length > 0}>
        <summary>
          <span class="for-screen-readers">{name}: </span>
          {isWhole ? 'all' : some.length === 0 ? 'none' : `${some.length} of ${types.length}`}
        </summary>
        {types.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={some.includes(type)} onChange={() => toggle(type)} />
            <code>{type}</code>
          </label>
        ))}
      </details>
    </div>
  )
}
