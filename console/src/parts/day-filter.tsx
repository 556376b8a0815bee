import { param, setParams } from '../router.ts'

/** A day from which on a list shows things, kept in the address. */
export const DayFilter = ({ label, name }: { label: string; name: string }) => (
  <label class="inline">
    {label}{' '}
    <input type="date" value={param(name)} onChange={(event) => setParams({ [name]: event.currentTarget.value })} />
  </label>
)
