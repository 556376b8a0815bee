// Finds the changes that could be made to an SQL text. Parameters stay in use, because the database refuses one that is not.
import type { Change, Rule } from './mutant.ts'

const isSql = /\b(SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE)\b|\w (=|<|>|<=|>=|IN) (\?|\$\d|\(\?)/
const otherBound: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
/** What ends a condition, outside parentheses. */
const afterCondition =
  /^(?:\s(?:AND|OR|ORDER|LIMIT|GROUP|RETURNING|UNION|ON|SET|FOR|THEN|BEGIN|\$\{[\w.]*forUpdate)|[);]|\n\s*\$\{)/

export function findInSql(text: string): Change[] {
  if (!isSql.test(text)) return []
  const changes: Change[] = []
  const add = (rule: Rule, start: number, end: number, by: string) => changes.push({ rule, start, end, text: by })

  for (const { index, 0: words } of text.matchAll(
    / ?(?:\$\{[\w.]*forUpdate\w*\}|\bFOR (?:UPDATE|SHARE)(?: SKIP LOCKED)?)/g,
  )) {
    add('lock removed', index, index + words.length, '')
  }
  for (const { index, 0: words } of text.matchAll(/\b(?:WHERE|AND) /g)) {
    const start = index + words.length
    const end = conditionEnd(text, start)
    const condition = text.slice(start, end)
    // BETWEEN … AND … is one condition.
    if (condition !== '' && !/BETWEEN \S+ $/.test(text.slice(0, index))) {
      add('clause removed', start, end, `(${condition} OR 1 = 1)`)
    }
  }
  for (const { index, 0: words } of text.matchAll(/\bLIMIT (?:\d+|\$\d+|\$\{\w+\})/g)) {
    if (!words.includes('$')) add('clause removed', index, index + words.length, 'LIMIT 1000000')
    else add('clause removed', index, index + words.length, `${words} * 1000`)
  }
  for (const { index } of text.matchAll(/ DESC\b/g)) add('clause removed', index, index + ' DESC'.length, '')
  for (const { index, 0: spaced } of text.matchAll(/ (?:<=?|>=?) /g)) {
    const sign = spaced.trim()
    add('bound', index + 1, index + 1 + sign.length, otherBound[sign] as string)
  }
  return changes
}

/** The end of the condition that begins here, with what its parentheses and placeholders contain. */
function conditionEnd(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    if (depth === 0 && afterCondition.test(text.slice(index))) return index
    if (/[({]/.test(text[index] as string)) depth++
    if (/[)}]/.test(text[index] as string)) depth--
  }
  return text.length
}
