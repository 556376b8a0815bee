import type { Client, Scenario, Setting } from './client.ts'
import { ruleOf } from './client.ts'
import table from './expected.json' with { type: 'json' }
import type { Run } from './judge-client.ts'

/** The verdict that the requests of a client deserve, and why its author would agree. */
export interface Expectation {
  readonly verdict: string
  /** Right, too, where chance or a busy machine decides whether the rule can tell. */
  readonly or?: string
  readonly why: string
}

type Table = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Expectation>>>>>>

export const expected: Table = table

/** The verdict of the rule that the scenario is about. */
export const verdictOf = ({ report }: Run, scenario: Scenario): string =>
  report.rules.find(({ rule }) => rule === ruleOf[scenario])?.verdict ?? 'not_applicable'

/** What is not as expected, with what the report says. Undefined if all is. */
export function findSurprise({ name }: Client, setting: Setting, scenario: Scenario, run: Run): object | undefined {
  const expectation = expected[name]?.[setting]?.[scenario]
  const verdict = verdictOf(run, scenario)
  if (expectation && [expectation.verdict, expectation.or].includes(verdict)) return undefined
  const found = run.report.rules.flatMap(({ violations }) => violations.map(({ explanation }) => explanation))
  return { name, setting, scenario, verdict, found, expectation }
}
