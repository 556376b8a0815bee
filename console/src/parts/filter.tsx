import { param, setParams } from '../router.ts'

interface Props {
  readonly label: string
  readonly name: string
  readonly choices: readonly (readonly [value: string, text: string])[]
}

/** A filter with a few choices, kept in the address. */
export const Filter = ({ label, name, choices }: Props) => (
  <select aria-label={label} value={param(name)} onChange={(event) => setParams({ [name]: event.currentTarget.value })}>
    <option value="">{label}: all</option>
    {choices.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
)
