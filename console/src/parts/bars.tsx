import { number } from './time.tsx'

interface Row {
  readonly name: string
  readonly value: number
  readonly href?: string
  readonly tone?: string
}

/** Bars that are also a table. */
export function Bars({ label, rows }: { label: string; rows: readonly Row[] }) {
  const largest = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {rows.map(({ name, value, href, tone }) => (
          <tr key={name}>
            <th scope="row">{href ? <a href={href}>{name}</a> : name}</th>
            <td class="bar">
              <span class={tone} style={{ width: `${(value / largest) * 100}%` }} />
            </td>
            <td class="numeric">{number(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
