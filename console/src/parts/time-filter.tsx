import { param, setParams } from '../router.ts'

/** One end of a time range, kept in the address in the user's local time. */
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
