import type { Import } from '../files/use-import.ts'
import { RequestCost } from '../parts/request-cost.tsx'
import { number } from '../parts/time.tsx'
import { hasScope } from '../session.ts'
import { ImportColumns } from './pets-import-columns.tsx'

const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`

/** What would be imported, before anything is sent: what the columns hold, new categories, and how many lines are rejected. */
export function ImportCheck({ file, fields, createsCategories, missing, checked, choose, check }: Import) {
  const { pets = 0, rejected = 0, requests = 0 } = checked.value ?? {}
  const hasColumns = file.value !== undefined && file.value.columns.length > 0
  const setsStock = !hasColumns || fields.value.includes('stock')
  return (
    <>
      <p>
        A CSV file whose first line names its columns, or NDJSON with one object per line. Files from this console and
        from <code>petstore export</code> work as they are.
      </p>
      <input
        type="file"
        aria-label="File"
        accept=".csv,.ndjson,.jsonl,.json,text/csv"
        onChange={(event) => choose(event.currentTarget.files?.[0])}
      />
      {file.value && hasColumns && (
        <ImportColumns
          {...file.value}
          fields={fields.value}
          onChange={(changed) => {
            fields.value = changed
            check()
          }}
        />
      )}
      {missing.value.length > 0 && (
        <div class="choices">
          <label>
            <input
              type="checkbox"
              checked={createsCategories.value}
              onChange={(event) => {
                createsCategories.value = event.currentTarget.checked
                check()
              }}
            />
            <span>
              Create {count(missing.value.length, 'missing category', 'missing categories')}: {missing.value.join(', ')}
            </span>
          </label>
        </div>
      )}
      {checked.value && (
        <p role="status">
          <strong>
            {count(pets, 'pet', 'pets')} to create
            {rejected > 0 && `, ${count(rejected, 'line', 'lines')} rejected`}.
          </strong>{' '}
          Nothing is sent yet.
        </p>
      )}
      {requests > 1 && <RequestCost requests={requests} />}
      {setsStock && !hasScope('inventory:write') && (
        <p>Your key cannot set stock, so every new pet starts with the default.</p>
      )}
    </>
  )
}
