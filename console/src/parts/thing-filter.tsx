import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { things } from '../event-search.ts'
import { param, setParams } from '../router.ts'

/** Chooses a thing by kind and number, such as pet 17, kept in the address as `about`. */
export function ThingFilter() {
  const [kind = '', id = ''] = param('about').split(' ')
  const chosen = useSignal(kind)
  useEffect(() => {
    if (kind) chosen.value = kind
  }, [kind])
  const change = (newKind: string, newId: string) => {
    chosen.value = newKind
    const about = newKind && /^\d{1,15}$/.test(newId) ? `${newKind} ${newId}` : undefined
    if (about !== (param('about') || undefined)) setParams({ about })
  }
  return (
    <>
      <select
        aria-label="About"
        value={chosen.value}
        onChange={(event) => change(event.currentTarget.value, event.currentTarget.value && id)}
      >
        <option value="">About: anything</option>
        {things.map((thing) => (
          <option key={thing} value={thing}>
            {thing}
          </option>
        ))}
      </select>
      {chosen.value && (
        <input
          type="text"
          class="short"
          inputMode="numeric"
          aria-label={`Number of the ${chosen.value}`}
          placeholder="Number"
          value={id}
          onChange={(event) => change(chosen.value, event.currentTarget.value.trim())}
        />
      )}
    </>
  )
}
