import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { number } from './time.tsx'

export interface Series {
  readonly name: string
  /** The name of a CSS colour variable. */
  readonly color: 'accent' | 'amber' | 'red' | 'blue' | 'violet'
  readonly values: readonly number[]
  /** The drawn heights if they differ from the values, for a series stacked on another. */
  readonly heights?: readonly number[]
}

interface Props {
  readonly label: string
  /** The starts of the steps, in milliseconds. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly formatTime: (ms: number) => string
  /** Formats a count; plain unless given. */
  readonly formatCount?: (value: number) => string
}

const heightPx = 190

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
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const draw = () => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsFor(element, series, latest.current.formatTime, showTip), data(), element)
    }
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
    draw()
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: heightPx }))
    resized.observe(element)
    dark.addEventListener('change', draw)
    return () => {
      resized.disconnect()
      dark.removeEventListener('change', draw)
      plot.current?.destroy()
    }
  }, [series.length])
  useEffect(() => plot.current?.setData(data()))
  return (
    <div class="plot" ref={frame} aria-hidden="true">
      <div class="tip" ref={tip} hidden />
    </div>
  )
}

/** A stacked series is drawn before the one below it. */
const drawingOrder = (series: readonly Series[]) =>
  series.toSorted((one, other) => Number(!one.heights) - Number(!other.heights))

function optionsFor(
  element: HTMLElement,
  series: readonly Series[],
  formatTime: (ms: number) => string,
  showTip: (chart: uPlot) => void,
): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const axis = {
    stroke: colour('ink-soft'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const bars = uPlot.paths.bars?.({ size: [0.7, 28] })
  return {
    width: element.clientWidth,
    height: heightPx,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { y: { range: (_, _min, max) => [0, Math.max(4, (max ?? 0) * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        values: (_, splits) => splits.map((at) => formatTime(at * 1000)),
        space: 80,
      },
      {
        ...axis,
        size: 44,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
        values: (_, splits) => splits.map((split) => number(split)),
      },
    ],
    series: [
      {},
      ...drawingOrder(series).map(({ color }) => ({
        stroke: colour(color),
        fill: colour(color),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [showTip] },
  }
}
