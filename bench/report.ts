import type { Measured } from './load.ts'

/** One subject's rounds. A loop has no requests, so no latency. */
type Rounds = readonly (Measured | { perSecond: number })[]

interface Comparison {
  readonly title: string
  readonly service: Rounds
  readonly others: readonly { readonly name: string; readonly rounds: Rounds; readonly goal?: number }[]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

const whole = (value: number) => Math.round(value).toLocaleString('en')

function cpuOf(rounds: Rounds): number | undefined {
  const spent = rounds.flatMap((round) => ('cpuMicroseconds' in round ? [round.cpuMicroseconds ?? 0] : []))
  return spent.length > 0 ? median(spent) : undefined
}

function line(name: string, rounds: Rounds): string {
  const p99s = rounds.flatMap((round) => ('p99Ms' in round ? [round.p99Ms] : []))
  const p99 = p99s.length > 0 ? `p99 ${median(p99s).toFixed(1)} ms` : ''
  const cpu = cpuOf(rounds)
  const spent = cpu === undefined ? '' : `, ${cpu.toFixed(1)} µs of processor each`
  return `  ${name.padEnd(34)}${whole(median(rounds.map(({ perSecond }) => perSecond))).padStart(9)} /s  ${p99}${spent}`
}

/** Ratios are taken within a round, where both sides saw the same machine, and then the median of the rounds. */
export function report({ title, service, others }: Comparison): { text: string; short: string[] } {
  const short: string[] = []
  const lines = [title, line('this service', service)]
  for (const { name, rounds, goal } of others) {
    const ratios = service.map(({ perSecond }, round) => perSecond / (rounds[round]?.perSecond ?? Number.NaN))
    const ratio = median(ratios)
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const met = goal === undefined ? '' : `, goal ${goal.toFixed(2)}: ${ratio >= goal ? 'met' : 'FALLS SHORT'}`
    const [own, its] = [cpuOf(service), cpuOf(rounds)]
    const byCpu = own && its ? `; ${(its / own).toFixed(2)} by processor time` : ''
    lines.push(line(name, rounds), `      this service does ${ratio.toFixed(2)} of it (${range}${met})${byCpu}`)
    if (goal !== undefined && !(ratio >= goal))
      short.push(`${title}: ${ratio.toFixed(2)} of ${name}, goal ${goal.toFixed(2)}`)
  }
  const refused = service.reduce((sum, round) => sum + ('refused' in round ? round.refused : 0), 0)
  if (refused > 0) short.push(`${title}: ${refused} answers were not 2xx, so the figures are not to be trusted`)
  return { text: lines.join('\n'), short }
}
