import type { Report, RuleResult, Verdict } from '../report.ts'

const marks: Record<Verdict, string> = { passed: '✓', failed: '✗', not_seen: '–', not_applicable: '–' }
const notes: Partial<Record<Verdict, string>> = { not_seen: ' (not seen)' }

/** The lines of a report: one for each rule that applies, with what broke it and how to do better, and a summary. */
export const toLines = (report: Report): string[] => [
  ...report.rules.filter(({ verdict }) => verdict !== 'not_applicable').flatMap(linesOf),
  `${summaryOf(report)} ${requestsOf(report)}`,
]

function linesOf({ rule, level, title, verdict, violations, violationCount, advice }: RuleResult): string[] {
  const more = violationCount - violations.length
  return [
    `${marks[verdict]} ${rule}: ${title} (${level})${notes[verdict] ?? ''}`,
    ...violations.map(({ explanation }) => `    ${explanation}`),
    ...(more > 0 ? [`    ${more} more`] : []),
    ...(verdict === 'failed' ? [`    → ${advice}`] : []),
  ]
}

/** "Failed: 1 must, 2 should. Passed: 5. Not seen: 6." */
export function summaryOf({ rules }: Report): string {
  const count = (verdict: Verdict) => rules.filter((result) => result.verdict === verdict).length
  const failed = (['must', 'should', 'information'] as const)
    .map(
      (level) =>
        [rules.filter((result) => result.verdict === 'failed' && result.level === level).length, level] as const,
    )
    .filter(([number]) => number > 0)
    .map(([number, level]) => `${number} ${level}`)
  const parts = [
    failed.length > 0 ? `Failed: ${failed.join(', ')}.` : 'Nothing failed.',
    `Passed: ${count('passed')}.`,
    `Not seen: ${count('not_seen')}.`,
    ...(count('not_applicable') > 0 ? [`Not applicable: ${count('not_applicable')}.`] : []),
  ]
  return parts.join(' ')
}

/** "1,204 requests, of which the last 1,000 are shown; 3 are still open; 1 may still be sent again." */
export function requestsOf({ requests: { seen, shown, open, undecided } }: Report): string {
  const number = (value: number) => value.toLocaleString('en-US')
  const all = `${number(seen)} request${seen === 1 ? '' : 's'}`
  const isOpen = open === 0 ? '' : `; ${number(open)} ${open === 1 ? 'is' : 'are'} still open`
  const mayFollow = undecided === 0 ? '' : `; ${number(undecided)} may still be sent again`
  return `${all}${seen > shown ? `, of which the last ${number(shown)} are shown` : ''}${isOpen}${mayFollow}.`
}
