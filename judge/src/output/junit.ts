import type { Report, RuleResult } from '../report.ts'
import { isShort, type Requirement } from '../requirement.ts'

/** The report as JUnit XML, one test case for each rule. A rule that is not required is skipped if it failed or was not seen. */
export function toJunit({ rules }: Report, required: Requirement): string {
  const failures = rules.filter((result) => isShort(result, required))
  const skipped = rules.filter((result) => result.verdict !== 'passed' && !failures.includes(result))
  const counts = `tests="${rules.length}" failures="${failures.length}" errors="0" skipped="${skipped.length}"`
  const cases = rules.map((result) => toCase(result, outcomeOf(result, failures, skipped)))
  const suite = `  <testsuite name="client" ${counts} time="0">\n${cases.join('')}  </testsuite>\n`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts} time="0">\n${suite}</testsuites>\n`
}

function outcomeOf(result: RuleResult, failures: readonly RuleResult[], skipped: readonly RuleResult[]): string {
  const { verdict, violations, violationCount, advice } = result
  if (verdict === 'passed') return ''
  const message =
    verdict === 'failed' ? `${violationCount} times: ${advice}`.replace(/^1 times/, 'once') : verdict.replace('_', ' ')
  const text = violations.map(({ explanation }) => `${explanation}\n`).join('')
  if (failures.includes(result))
    return `      <failure message="${escapeXml(message)}" type="${verdict}">${escapeXml(text)}</failure>\n`
  if (!skipped.includes(result)) return ''
  const note = verdict === 'failed' ? `failed, but not required: ${message}` : message
  const output = text && `      <system-out>${escapeXml(text)}</system-out>\n`
  return `      <skipped message="${escapeXml(note)}"/>\n${output}`
}

const toCase = ({ rule, level, title }: RuleResult, outcome: string): string =>
  `    <testcase classname="${level}" name="${escapeXml(`${rule}: ${title}`)}" time="0">\n${outcome}    </testcase>\n`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML allows no control characters but tabs and line breaks. */
const escapeXml = (text: string): string =>
  text.replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd').replace(/[&<>"]/g, (found) => entities[found] ?? '')
