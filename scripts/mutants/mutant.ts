/** What a mutant does to the code. */
export type Rule =
  | 'bound'
  | 'comparison'
  | 'condition'
  | 'operator'
  | 'constant'
  | 'call removed'
  | 'await removed'
  | 'lock removed'
  | 'clause removed'
  | 'header removed'

/** One small change to a source text. */
export interface Change {
  readonly rule: Rule
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A believable bug: a source file with one change. */
export interface Mutant extends Change {
  /** The same as long as its line stays the same, wherever the line is. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly was: string
}

export const applyTo = (source: string, { start, end, text }: Change): string =>
  source.slice(0, start) + text + source.slice(end)

/** Names the changes of a file. Equal changes of equal lines are numbered. */
export function nameMutants(file: string, source: string, changes: readonly Change[]): Mutant[] {
  const seen = new Map<string, number>()
  return changes.map((change) => {
    const lineStart = source.lastIndexOf('\n', change.start - 1) + 1
    const lineEnd = source.indexOf('\n', change.start)
    const words = [file, source.slice(lineStart, lineEnd).trim(), change.rule, change.start - lineStart, change.text]
    const name = words.join('\n')
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return {
      ...change,
      file,
      id: Bun.hash(`${name}\n${count}`).toString(36).slice(0, 8),
      line: source.slice(0, change.start).split('\n').length,
      was: source.slice(change.start, change.end),
    }
  })
}
