import { param, setParams } from '../router.ts'

/** The first day that a list shows, kept in the address. */
export const DayFilter = ({ label, name }: { label: string; name: string }) => (
  <label class="inline">
    {label}{' '}
    <input type="date" value={param(name)} onChange={(event) => setParams({ [name]: event.currentTarget.value })} />
  </label>
)
