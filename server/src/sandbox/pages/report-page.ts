import { type Html, html } from '../../surfaces/pages/html.ts'
import type { Site } from '../../surfaces/pages/layout.ts'
import type { Report, RuleResult, Verdict } from '../report/judge.ts'
import type { Violation } from '../report/rule.ts'
import { sandboxPage, sandboxPath } from './frame.ts'

const verdicts = {
  passed: { name: 'passed', className: 's2' },
  failed: { name: 'failed', className: 's5' },
  not_seen: { name: 'not seen', className: '' },
}

/** What needs work comes first. */
const order: readonly Verdict[] = ['failed', 'passed', 'not_seen']

export const scoreOf = ({ score }: Report): string => (score === null ? '–' : `${score} %`)

/** How the client behaved, rule by rule. */
export const reportPage = (site: Site, report: Report): string =>
  sandboxPage(site, {
    path: '/report',
    title: 'Report',
    body: html`<p class="lead">How your client behaved, judged from its requests. A rule without an occasion is not seen and does not count.</p>
<dl class="counts"><div><dt>${report.score === null ? 'nothing to judge yet' : 'of the rules that could be judged'}</dt><dd>${scoreOf(report)}</dd></div></dl>
<ul class="rules">${order.flatMap((verdict) => report.rules.filter((result) => result.verdict === verdict).map((result) => ruleOf(site, result)))}</ul>`,
  })

function ruleOf(site: Site, { title, verdict, seen, violations, violationCount, advice, guide }: RuleResult): Html {
  const { name, className } = verdicts[verdict]
  const left = violationCount - violations.length
  return html`<li>
<h2><span class="status ${className}">${name}</span> ${title}</h2>
${verdict === 'passed' && html`<p>Passed ${seen === 1 ? 'once' : `${seen} times`}.</p>`}
${
  violations.length > 0 &&
  html`<ul>${violations.map((violation) => html`<li>${violation.explanation} ${linksTo(site, violation)}</li>`)}${left > 0 && html`<li>${left} more.</li>`}</ul>`
}
${verdict !== 'passed' && html`<p>${advice} <a href="${guide}" aria-label="Guide: ${title}">Guide</a></p>`}
</li>`
}

const linksTo = ({ root }: Site, { requests }: Violation): Html =>
  html`${requests.slice(0, 5).map((id) => html`<a href="${root}${sandboxPath}/requests#request-${id}" aria-label="Request ${id}">${id}</a> `)}`
