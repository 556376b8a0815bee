import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { highestIn, isLabelled, linesUpTo, plotsOf, type Series, withoutEmpty } from './chart-scale.ts'
import { number } from './time.tsx'

interface Props {
  readonly label: string
  /** The starts of the steps, in milliseconds. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly formatTime: (ms: number) => string
  /** The heading of the times in the table. */
  readonly timeName?: string
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Bars with their totals and a tooltip, and the same figures as a table, for screen readers and exact values. */
export function Chart(props: Props) {
  const { label, times, series, formatTime, timeName = 'From' } = props
  const shown = withoutEmpty(series)
  const plots = plotsOf(shown)
  const lines = linesUpTo(highestIn(plots))
  const tips = times.map((time, index) =>
    [formatTime(time), ...shown.map(({ name, values }) => `${name} ${number(values[index] ?? 0)}`)].join('\n'),
  )
  return (
    <figure class="chart">
      <figcaption>{label}</figcaption>
      <div class="plots" aria-hidden="true">
        {plots.map((plot) => (
          <div key={plot[0]?.name}>
            <p class="legend">
              {plot.map(({ name, color, values }) => (
                <span key={name} class="key" style={{ '--color': `var(--${color})` }}>
                  {name} <strong>{number(sum(values))}</strong>
                </span>
              ))}
            </p>
            <Plot plot={plot} lines={lines} labels={times.map(formatTime)} tips={tips} />
          </div>
        ))}
      </div>
      <details>
        <summary>Show as table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
        <section class="scroll figures" tabIndex={0} aria-label={`${label}, figures`}>
          <table class="list" aria-label={label}>
            <thead>
              <tr>
                <th>{timeName}</th>
                {series.map(({ name }) => (
                  <th key={name} class="numeric">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((time, index) => (
                  <tr key={time}>
                    <th scope="row">{formatTime(time)}</th>
                    {series.map(({ name, values }) => (
                      <td key={name} class="numeric">
                        {number(values[index] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  )
}

interface PlotProps {
  readonly plot: readonly Series[]
  /** The values at which there is a line, from zero up. */
  readonly lines: readonly number[]
  readonly labels: readonly string[]
  readonly tips: readonly string[]
}

/** The approximate width of a letter, and the space between two labels in letters. */
const letterPx = 7
const spaceLetters = 2

/** Each step has the same width, with its label below it, even when the clocks change. */
function Plot({ plot, lines, labels, tips }: PlotProps) {
  const bars = useRef<HTMLDivElement>(null)
  const widthPx = useSignal(0)
  const pointedAt = useSignal<number | undefined>(undefined)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      widthPx.value = entry?.contentRect.width ?? 0
    })
    if (bars.current) observer.observe(bars.current)
    return () => observer.disconnect()
  }, [])
  const top = lines.at(-1) ?? 1
  const roomFor = widthPx.value / ((Math.max(...labels.map(({ length }) => length)) + spaceLetters) * letterPx)
  const tipAt = pointedAt.value ?? 0
  return (
    <div class="plot">
      <div class="scale">
        {lines.map((line) => (
          <span key={line}>{number(line)}</span>
        ))}
      </div>
      <div
        class="bars"
        ref={bars}
        style={{ '--lines': lines.length - 1 }}
        onPointerLeave={() => (pointedAt.value = undefined)}
      >
        {labels.map((label, index) => (
          <div key={`${index} ${label}`} onPointerEnter={() => (pointedAt.value = index)}>
            {plot.map(
              ({ name, color, values }) =>
                (values[index] ?? 0) > 0 && (
                  <i
                    key={name}
                    style={{ height: `${((values[index] ?? 0) / top) * 100}%`, background: `var(--${color})` }}
                  />
                ),
            )}
          </div>
        ))}
        {pointedAt.value !== undefined && (
          <div
            class={tipAt * 2 > labels.length ? 'tip left' : 'tip'}
            style={{ left: `${((tipAt + 0.5) / labels.length) * 100}%` }}
          >
            {tips[tipAt]}
          </div>
        )}
      </div>
      <div class="ticks">
        {labels.map((label, index) => (
          <span key={`${index} ${label}`}>{isLabelled(index, labels.length, roomFor) && label}</span>
        ))}
      </div>
    </div>
  )
}
