// The table of what was noticed, and the survivors.
import type { Mutant } from './mutant.ts'
import type { Result } from './results.ts'

export interface Tried {
  readonly mutant: Mutant
  readonly result: Result
}

const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`)
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 80)

export const describeMutant = ({ id, file, line, rule, was, text }: Mutant): string =>
  rule.endsWith('removed')
    ? `${id}  ${file}:${line}  ${rule}: ${oneLine(was)}`
    : `${id}  ${file}:${line}  ${rule}: ${oneLine(was)} → ${oneLine(text) || 'nothing'}`

/** Counts by workspace, in Markdown. `noBug` has a reason for each survivor that changes nothing that matters. */
export function printReport(
  tried: readonly Tried[],
  sampleSize: number,
  noBug: Readonly<Record<string, string>>,
): string {
  const isNoticed = ({ result }: Tried) => result.verdict !== 'survived'
  const isExplained = ({ mutant }: Tried) => noBug[mutant.id] !== undefined
  const row = (name: string, all: readonly Tried[]): string => {
    const noticed = all.filter(isNoticed).length
    const explained = all.filter((one) => !isNoticed(one) && isExplained(one)).length
    const cells = [name, all.length, noticed, explained, all.length - noticed - explained, share(noticed, all.length)]
    return `| ${[...cells, share(noticed, all.length - explained)].join(' | ')} |`
  }
  const byWorkspace = Map.groupBy(tried, ({ mutant }) => mutant.file.split('/')[0] ?? '')
  const survivors = tried.filter((one) => !isNoticed(one) && !isExplained(one))
  return [
    '| Workspace | Tried | Noticed | Survived, no bug | Survived | Noticed of all | Noticed of bugs |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...byWorkspace.entries().map(([name, all]) => row(name, all)),
    row('all', tried),
    '',
    `${sampleSize - tried.length} of ${sampleSize} not tried yet.`,
    ...(survivors.length === 0
      ? []
      : ['Survivors without a reason:', ...survivors.map(({ mutant }) => describeMutant(mutant))]),
  ].join('\n')
}
