// Which plots a chart has, where its lines are, and which bars have a label.

export interface Series {
  readonly name: string
  /** The name of a CSS colour variable. */
  readonly color: 'accent' | 'amber-fill' | 'red' | 'blue' | 'violet'
  readonly values: readonly number[]
  /** For a series that cannot be stacked on the others, because it counts some of the same things again. */
  readonly isApart?: boolean
}

/** The series with something in them. The first stays, so that an empty chart says what it would show. */
export const withoutEmpty = (series: readonly Series[]): Series[] =>
  series.filter(({ values }, index) => index === 0 || values.some((value) => value > 0))

/** The parts of a whole are stacked in one plot; anything else has its own. */
export const plotsOf = (series: readonly Series[]): Series[][] =>
  [series.filter(({ isApart }) => !isApart), ...series.filter(({ isApart }) => isApart).map((one) => [one])].filter(
    (plot) => plot.length > 0,
  )

/** The highest bar of all plots, which have the same scale. */
export const highestIn = (plots: readonly (readonly Series[])[]): number =>
  Math.max(
    0,
    ...plots.flatMap((plot) =>
      (plot[0]?.values ?? []).map((_, index) => plot.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
    ),
  )

const linesMax = 4
/** 1, 2, 5, 10, 20, 50 and so on. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()

/** Up to four lines at round numbers above zero, up to the highest bar or more. */
export function linesUpTo(highest: number): number[] {
  const most = Math.max(linesMax, highest)
  const step = wholeSteps.find((size) => most / size <= linesMax) ?? most
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** Labels are at every bar, every second bar, and so on, as room allows. */
const labelSteps = [1, 2, 3, 4, 6, 7, 10, 12, 15]

/** Whether a bar has a label: every one if there is room, and always the last, which is the current one. */
export const isLabelled = (index: number, count: number, roomFor: number): boolean =>
  (count - 1 - index) % (labelSteps.find((step) => count / step <= roomFor) ?? count) === 0
