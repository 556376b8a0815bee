import { closeSync, openSync, writeSync } from 'node:fs'
import { toJson } from '../controls.ts'
import type { Terminal } from '../terminal.ts'
import type { Refusal } from './register-batch.ts'

const toldMax = 20
const keptMax = 100

export interface Report {
  add(refusal: Refusal): void
  /** The first of them. */
  end(): readonly Refusal[]
}

/** Tells the first refused lines to whoever watches, and writes all of them to a file where one is named. */
export function openReport({ tell }: Terminal, path: string | undefined, isResumed: boolean): Report {
  const file = path === undefined ? undefined : openSync(path, isResumed ? 'a' : 'w')
  const first: Refusal[] = []
  let count = 0
  return {
    add(refusal) {
      count++
      if (first.length < keptMax) first.push(refusal)
      if (count <= toldMax) tell(`line ${refusal.line}: ${refusal.message}\n`)
      if (file !== undefined) writeSync(file, `${toJson(refusal)}\n`)
    },
    end() {
      if (count > toldMax) {
        tell(
          `… and ${count - toldMax} more lines${path ? `, all in ${path}` : '; --report <file> writes them all down'}\n`,
        )
      }
      if (file !== undefined) closeSync(file)
      return first
    },
  }
}
