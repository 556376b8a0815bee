import type { Measured } from './load.ts'

/** One subject of a comparison: its rounds, or why it could not be measured. */
export interface Subject {
  readonly name: string
  readonly rounds: readonly Measured[]
  readonly missing?: string | undefined
  /** The share of its rate that this service should reach. */
  readonly goal?: number
}

export interface Comparison {
  readonly title: string
  readonly service: readonly Measured[]
  readonly others: readonly Subject[]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/** CPU time of the server per request; if the system does not report it, the elapsed time per request. */
const costOf = ({ cpuMicroseconds, perSecond }: Measured) => cpuMicroseconds ?? 1_000_000 / perSecond

const spread = (values: readonly number[], digits: number) =>
  `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`

export const metOr = (met: boolean) => (met ? 'met' : '**falls short**')

/** Ratios are taken within a round, when both had the same conditions; then the median of the rounds. */
export function tableOf({ title, service, others }: Comparison): string {
  const own = service.map(costOf)
  const rejected = service.reduce((sum, round) => sum + round.rejected, 0)
  const lines = [
    `## ${title}`,
    '',
    '| | µs of processor | spread | this service does | spread | goal |',
    '| --- | --- | --- | --- | --- | --- |',
    `| this service | ${median(own).toFixed(0)} | ${spread(own, 0)} | | | |`,
    ...others.map(({ name, rounds, missing, goal }) => {
      if (missing !== undefined) return `| ${name} | missing: ${missing} | | | | |`
      const costs = rounds.map(costOf)
      const ratios = costs.map((cost, round) => cost / (own[round] ?? Number.NaN))
      const ratio = median(ratios)
      const met = goal === undefined ? '' : `${goal.toFixed(2)}: ${metOr(ratio >= goal)}`
      return `| ${name} | ${median(costs).toFixed(0)} | ${spread(costs, 0)} | ${ratio.toFixed(2)} of it | ${spread(ratios, 2)} | ${met} |`
    }),
  ]
  if (rejected > 0) lines.push('', `${rejected} responses of this service were not 2xx, so do not trust these figures.`)
  return lines.join('\n')
}
