import { closeSync, openSync, renameSync, rmSync } from 'node:fs'
import type { Rejection } from '@petstore/sdk/pet-files'
import { toJson } from '../controls.ts'
import type { Terminal } from '../terminal.ts'
import { writeWhole } from './write-whole.ts'

const printedMax = 20
const keptMax = 100

export interface RejectionReport {
  add(rejection: Rejection): void
  /** Puts the report in its place and returns the first rejections. */
  end(): readonly Rejection[]
  /** Keeps an earlier report: nothing was imported. */
  drop(): void
  /** Keeps what there is for when the import continues. */
  pause(): void
}

interface ReportOptions {
  readonly path: string | undefined
  /** Whether what was rejected before the interruption is kept. */
  readonly isResumed: boolean
  readonly isDryRun: boolean
}

/**
 * Prints the first rejected lines, and writes all of them to a file if one is named: to `<file>.part` until the import is done, so
 * that an import that turns out to be done already keeps its earlier report. A dry run leaves that of an interrupted import alone.
 */
export function openReport({ printMessage }: Terminal, { path, isResumed, isDryRun }: ReportOptions): RejectionReport {
  const part = `${path}.${isDryRun ? 'dry-run' : 'part'}`
  const file = path === undefined ? undefined : openSync(part, isResumed ? 'a' : 'w')
  const first: Rejection[] = []
  let count = 0
  return {
    add(rejection) {
      count++
      if (first.length < keptMax) first.push(rejection)
      if (count <= printedMax) printMessage(`line ${rejection.line}: ${rejection.message}\n`)
      if (file !== undefined) writeWhole(file, `${toJson(rejection)}\n`)
    },
    end() {
      if (count > printedMax) {
        const where = path ? `, all in ${path}` : '; --report <file> writes all of them to a file'
        printMessage(`… and ${count - printedMax} more lines${where}\n`)
      }
      if (file !== undefined) {
        closeSync(file)
        renameSync(part, `${path}`)
      }
      return first
    },
    drop() {
      if (file === undefined) return
      closeSync(file)
      rmSync(part)
    },
    pause() {
      if (file !== undefined) closeSync(file)
    },
  }
}
