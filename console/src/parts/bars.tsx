import { number } from './time.tsx'

interface Row {
  readonly name: string
  readonly value: number
  readonly href?: string
  readonly tone?: string
}

/** Shares as bars that are a table at the same time. */
export function Bars({ label, rows }: { label: string; rows: readonly Row[] }) {
  const most = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {rows.map(({ name, value, href, tone }) => (
          <tr key={name}>
            <th scope="row">{href ? <a href={href}>{name}</a> : name}</th>
            <td class="bar">
              <span class={tone} style={{ width: `${(value / most) * 100}%` }} />
            </td>
            <td class="numeric">{number(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
