import type { ColumnFields, Preview } from '@petstore/sdk/pet-files'
import { labelOf } from '../description.ts'

/** What a column may hold. */
const choices = [
  ['name', 'Name'],
  ['category', 'Category, by name'],
  ['categoryId', 'Category, by number'],
  ['status', 'Status'],
  ['stock', 'Stock'],
] as const

interface Props extends Pick<Preview, 'columns' | 'rows'> {
  readonly fields: ColumnFields
  readonly onChange: (fields: ColumnFields) => void
}

/** The columns of a file with examples, and what each is imported as. */
export const ImportColumns = ({ columns, rows, fields, onChange }: Props) => (
  <div class="scroll">
    <table class="list" aria-label="Columns">
      <thead>
        <tr>
          <th>Column</th>
          <th class="minor">Examples</th>
          <th>Import as</th>
        </tr>
      </thead>
      <tbody>
        {columns.map((column, index) => (
          <tr key={`${index} ${column}`}>
            <th scope="row">{column || `Column ${index + 1}`}</th>
            <td class="minor soft">
              {rows
                .map((row) => row[index])
                .filter((cell) => cell)
                .join(' · ')}
            </td>
            <td>
              <select
                aria-label={`Import ${column || `column ${index + 1}`} as`}
                value={fields[index] ?? ''}
                onChange={({ currentTarget: { value } }) => onChange(fields.with(index, value || undefined))}
              >
                <option value="">Leave out</option>
                {choices.map(([field, text]) => (
                  <option key={field} value={field}>
                    {text}
                  </option>
                ))}
                {isOther(fields[index]) && <option value={fields[index]}>{labelOf(fields[index] ?? '')}</option>}
              </select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Files of an export have columns that only an export needs. */
const isOther = (field: string | undefined): boolean =>
  field !== undefined && choices.every(([choice]) => choice !== field)
