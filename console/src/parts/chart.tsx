import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { number } from './time.tsx'

export interface Series {
  readonly name: string
  /** A name of the visual language's colours. */
  readonly color: 'accent' | 'amber' | 'red' | 'blue' | 'violet'
  readonly values: readonly number[]
  /** How high it is drawn, where not as high as it is: what stands on top of another begins where that ends. */
  readonly drawn?: readonly number[]
}

interface Props {
  readonly label: string
  /** The starts of the steps, in milliseconds. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly timeOf: (ms: number) => string
  /** How a count is written, where not as it is. */
  readonly countOf?: (value: number) => string
}

const heightPx = 190

/** A chart with axes and a tooltip, and the same as a table for who cannot see it or wants the figures. */
export function Chart(props: Props) {
  const { label, times, series, timeOf, countOf = number } = props
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
        <summary>As a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
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
                    <th scope="row">{timeOf(time)}</th>
                    {series.map(({ name, values }) => (
                      <td key={name} class="numeric">
                        {countOf(values[index] ?? 0)}
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

function Plot({ times, series, timeOf, countOf = number }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const told = useRef({ times, series, timeOf, countOf })
  told.current = { times, series, timeOf, countOf }
  const data = () =>
    [
      times.map((time) => time / 1000),
      ...layersOf(series).map(({ values, drawn = values }) => [...drawn]),
    ] as uPlot.AlignedData

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const draw = () => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsFor(element, series, told.current.timeOf, showTip), data(), element)
    }
    const showTip = (chart: uPlot) => {
      const { idx, left = -1 } = chart.cursor
      const box = tip.current
      if (!box) return
      const at = idx === null || idx === undefined || left < 0 ? undefined : told.current.times[idx]
      box.hidden = at === undefined
      if (at === undefined || idx === null || idx === undefined) return
      const lines = told.current.series.map(({ name, values }) => `${name} ${told.current.countOf(values[idx] ?? 0)}`)
      box.textContent = [told.current.timeOf(at), ...lines].join('\n')
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

/** What stands on top of another is drawn before it. */
const layersOf = (series: readonly Series[]) =>
  series.toSorted((one, other) => Number(!one.drawn) - Number(!other.drawn))

function optionsFor(
  element: HTMLElement,
  series: readonly Series[],
  timeOf: (ms: number) => string,
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
        values: (_, splits) => splits.map((at) => timeOf(at * 1000)),
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
      ...layersOf(series).map(({ color }) => ({
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
