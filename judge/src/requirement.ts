import type { Level, Report, RuleResult } from './report.ts'

/** What a report must show. */
export interface Requirement {
  /** No rule of this level, or of a stricter one, may have failed. */
  readonly level: Exclude<Level, 'information'>
  /** Rules whose situation must have come up. */
  readonly seen: readonly string[]
}

const requiredLevels: Record<Requirement['level'], readonly Level[]> = { must: ['must'], should: ['must', 'should'] }

/** Whether a result prevents the requirement from being met. */
export const isShort = ({ rule, level, verdict }: RuleResult, required: Requirement): boolean =>
  verdict === 'failed'
    ? requiredLevels[required.level].includes(level)
    : verdict !== 'passed' && required.seen.includes(rule)

export const isMet = ({ rules }: Report, required: Requirement): boolean =>
  !rules.some((result) => isShort(result, required))
