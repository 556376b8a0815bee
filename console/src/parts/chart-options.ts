import uPlot from 'uplot'
import { number } from './time.tsx'

export interface Series {
  readonly name: string
  /** The name of a CSS colour variable. */
  readonly color: 'accent' | 'warm' | 'amber-fill' | 'red' | 'blue' | 'violet'
  readonly values: readonly number[]
  /** The drawn heights if they differ from the values, for a series stacked on another. */
  readonly heights?: readonly number[]
}

export const heightPx = 190

/** 1, 2, 5, 10, 20, 50 and so on, between the lines of a chart. */
const wholeSteps = Array.from({ length: 7 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()

/** A stacked series is drawn before the one below it. */
export const drawingOrder = (series: readonly Series[]) =>
  series.toSorted((one, other) => Number(!one.heights) - Number(!other.heights))

export function optionsFor(
  element: HTMLElement,
  series: readonly Series[],
  formatTime: (ms: number) => string,
  showTip: (chart: uPlot) => void,
): uPlot.Options {
  const colour = (name: string) => resolveColour(element, name)
  const font = `12px ${getComputedStyle(element).fontFamily}`
  const axis = {
    stroke: colour('ink-soft'),
    font,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const bars = uPlot.paths.bars?.({ size: [0.7, 28], radius: 0.2 })
  return {
    width: element.clientWidth,
    height: heightPx,
    // Room for half of the last label.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { range: withRoomForBars }, y: { range: (_, _min, max) => [0, Math.max(4, (max ?? 0) * 1.1)] } },
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
        size: (_, labels) => widestOf(labels ?? [], font) + 16,
        incrs: wholeSteps,
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

/** Half a step on each side, so that the first and the last bar are whole. */
function withRoomForBars(chart: uPlot, min: number, max: number): uPlot.Range.MinMax {
  const [times] = chart.data
  const step = times.length > 1 ? (max - min) / (times.length - 1) : 1
  return [min - step / 2, max + step / 2]
}

function widestOf(labels: readonly string[], font: string): number {
  const context = document.createElement('canvas').getContext('2d')
  if (!context) return 0
  context.font = font
  return Math.ceil(Math.max(0, ...labels.map((label) => context.measureText(label).width)))
}

/** The colour that a variable has now. A canvas does not know `light-dark()`. */
function resolveColour(element: HTMLElement, name: string): string {
  const before = element.style.color
  element.style.color = `var(--${name})`
  const { color } = getComputedStyle(element)
  element.style.color = before
  return color
}
