import { requestsOf } from '@petstore/judge/output/text'
import type { Report, RuleResult, Verdict, Violation } from '@petstore/judge/report'
import { type Html, html } from '../../surfaces/pages/html.ts'
import type { Site } from '../../surfaces/pages/layout.ts'
import { sandboxPage, sandboxPath } from './frame.ts'

const verdicts: Record<Verdict, { readonly name: string; readonly className: string }> = {
  failed: { name: 'failed', className: 's5' },
  passed: { name: 'passed', className: 's2' },
  not_seen: { name: 'not seen', className: '' },
  not_applicable: { name: 'not applicable', className: '' },
}

/** What needs work comes first. */
const order = Object.keys(verdicts) as Verdict[]

/** How many rules have each verdict. */
export const verdictCounts = ({ rules }: Report): Html =>
  html`${order
    .map((verdict) => ({ verdict, count: rules.filter((result) => result.verdict === verdict).length }))
    .filter(({ verdict, count }) => count > 0 || verdict !== 'not_applicable')
    .map(({ verdict, count }) => html`<div><dt>${verdicts[verdict].name}</dt><dd>${count}</dd></div>`)}`

/** How the client behaved, rule by rule. */
export const reportPage = (site: Site, report: Report): string =>
  sandboxPage(site, {
    path: '/report',
    title: 'Report',
    body: html`<p class="lead">How your client behaved, judged by what it sent and what it received. A rule without an occasion is not seen.</p>
<dl class="counts">${verdictCounts(report)}</dl>
<p>${requestsOf(report)}</p>
<ul class="rules">${order.flatMap((verdict) => report.rules.filter((result) => result.verdict === verdict).map((result) => ruleOf(site, result)))}</ul>`,
  })

function ruleOf(site: Site, result: RuleResult): Html {
  const { rule, level, title, verdict, seen, violations, violationCount, advice, guide } = result
  const { name, className } = verdicts[verdict]
  const left = violationCount - violations.length
  return html`<li id="${rule}">
<h2><span class="status ${className}">${name}</span> ${title} <small>${level} · <code>${rule}</code></small></h2>
${verdict === 'passed' && html`<p>Passed ${seen === 1 ? 'once' : `${seen} times`}.</p>`}
${
  violations.length > 0 &&
  html`<ul>${violations.map((violation) => html`<li>${violation.explanation} ${linksTo(site, violation)}</li>`)}${left > 0 && html`<li>${left} more.</li>`}</ul>`
}
${verdict !== 'passed' && html`<p>${advice}${guide !== undefined && html` <a href="${guide}" aria-label="Guide: ${title}">Guide</a>`}</p>`}
</li>`
}

const linksTo = ({ root }: Site, { requests }: Violation): Html =>
  html`${requests.slice(0, 5).map((id) => html`<a href="${root}${sandboxPath}/requests#request-${id}" aria-label="Request ${id}">${id}</a> `)}`
