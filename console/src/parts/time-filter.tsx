import { param, setParams } from '../router.ts'

/** A limit of a time range, kept in the address in the user's own time. */
export const TimeFilter = ({ label, name }: { label: string; name: string }) => (
  <label class="inline">
    {label}
    <input
      type="datetime-local"
      value={param(name)}
      onChange={(event) => setParams({ [name]: event.currentTarget.value })}
    />
  </label>
)
