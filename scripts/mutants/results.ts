// What was found out about mutants, kept so that the next start goes on.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Run } from './choose.ts'
import type { Mutant } from './mutant.ts'
import type { Verdict } from './try.ts'

export interface Result extends Verdict {
  readonly id: string
  /** The source file, and for a survivor that may be a bug also the tests that ran: if they change, it is tried again. */
  readonly source: string
  readonly tests?: string
}

const hash = (text: string): string => Bun.hash(text).toString(36)
const hashOf = (file: string): string => hash(readFileSync(file, 'utf8'))
const hashOfRuns = (runs: readonly Run[]): string =>
  hash(runs.map(({ file, engine }) => `${engine} ${file} ${hashOf(file)}`).join('\n'))

export function openResults(path: string, noBug: Readonly<Record<string, string>>) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').filter(Boolean) : []
  const results = new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.id, result]))
  return {
    find(mutant: Mutant, runs: readonly Run[]): Result | undefined {
      const result = results.get(mutant.id)
      if (result?.source !== hashOf(mutant.file)) return undefined
      const mayBeBug = result.verdict === 'survived' && noBug[mutant.id] === undefined
      return mayBeBug && result.tests !== hashOfRuns(runs) ? undefined : result
    },
    add(mutant: Mutant, runs: readonly Run[], verdict: Verdict): Result {
      const tests = verdict.verdict === 'survived' ? { tests: hashOfRuns(runs) } : {}
      const result = { id: mutant.id, ...verdict, source: hashOf(mutant.file), ...tests }
      results.set(mutant.id, result)
      appendFileSync(path, `${JSON.stringify({ ...result, at: `${mutant.file}:${mutant.line}` })}\n`)
      return result
    },
  }
}
