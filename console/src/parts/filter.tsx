import { param, setParams } from '../router.ts'

interface Props {
  readonly label: string
  readonly name: string
  readonly choices: readonly (readonly [value: string, text: string])[]
  /** What is chosen if the address says nothing. */
  readonly otherwise?: string
  readonly small?: boolean
}

/** A filter with a few choices, kept in the address. */
export const Filter = ({ label, name, choices, otherwise = `${label}: all`, small = false }: Props) => (
  <select
    class={small ? 'small' : undefined}
    aria-label={label}
    value={param(name)}
    onChange={(event) => setParams({ [name]: event.currentTarget.value })}
  >
    <option value="">{otherwise}</option>
    {choices.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
)
