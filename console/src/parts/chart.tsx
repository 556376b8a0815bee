import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { theme } from '../theme.ts'
import { drawingOrder, heightPx, optionsFor, type Series } from './chart-options.ts'
import { number } from './time.tsx'

interface Props {
  readonly label: string
  /** The starts of the steps, in milliseconds. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly formatTime: (ms: number) => string
  /** Formats a count; plain unless given. */
  readonly formatCount?: (value: number) => string
}

/** A chart with axes and a tooltip, and the same figures as a table, for screen readers and exact values. */
export function Chart(props: Props) {
  const { label, times, series, formatTime, formatCount = number } = props
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <span class="legend">
          {series.map(({ name, color }) => (
            <span key={name} class={`key ${color}`}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <Plot {...props} />
      <details>
        <summary>Show as table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
        <section class="scroll figures" tabIndex={0} aria-label={`${label}, figures`}>
          <table class="list" aria-label={label}>
            <thead>
              <tr>
                <th>From</th>
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
                        {formatCount(values[index] ?? 0)}
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

function Plot({ times, series, formatTime, formatCount = number }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const latest = useRef({ times, series, formatTime, formatCount })
  latest.current = { times, series, formatTime, formatCount }
  const data = () =>
    [
      times.map((time) => time / 1000),
      ...drawingOrder(series).map(({ values, heights = values }) => [...heights]),
    ] as uPlot.AlignedData

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const showTip = (chart: uPlot) => {
      const { idx, left = -1 } = chart.cursor
      const box = tip.current
      if (!box) return
      const at = idx === null || idx === undefined || left < 0 ? undefined : latest.current.times[idx]
      box.hidden = at === undefined
      if (at === undefined || idx === null || idx === undefined) return
      const lines = latest.current.series.map(
        ({ name, values }) => `${name} ${latest.current.formatCount(values[idx] ?? 0)}`,
      )
      box.textContent = [latest.current.formatTime(at), ...lines].join('\n')
      box.classList.toggle('left', left > chart.over.clientWidth / 2)
      box.style.left = `${left + chart.over.offsetLeft}px`
    }
    plot.current = new uPlot(optionsFor(element, series, latest.current.formatTime, showTip), data(), element)
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: heightPx }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.current?.destroy()
    }
  }, [series.length, theme.value])
  useEffect(() => plot.current?.setData(data()))
  return (
    <div class="plot" ref={frame} aria-hidden="true">
      <div class="tip" ref={tip} hidden />
    </div>
  )
}
