import { afterAll, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import type { Terminal } from '../src/terminal.ts'
import { progressBar } from '../src/transfer/progress-bar.ts'
import { progressFile } from '../src/transfer/progress-file.ts'
import { openReport } from '../src/transfer/rejections.ts'

// What an import and an export leave on the disk and on the terminal while they run.

const home = newDirectory()
afterAll(() => home.remove())
const at = (name: string) => join(home.path, name)

test('progress is replaced in one step: whoever reads the old file still reads all of it', () => {
  const file = progressFile<{ line: number }>(at('pets.progress'))
  file.save({ line: 1 })
  const open = openSync(at('pets.progress'), 'r')
  file.save({ line: 2 })
  expect(readFileSync(open, 'utf8')).toBe('{"line":1}\n')
  closeSync(open)
  expect(file.read()).toEqual({ line: 2 })
  expect(existsSync(at('pets.progress.part'))).toBe(false)
  file.remove()
  expect(file.read()).toBeUndefined()
})

const reject = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ line: from + index, message: 'is bad' }))

test('a report has every rejected line; the first 20 are printed, and 100 are returned', () => {
  const printed: string[] = []
  const terminal = { printMessage: (text: string) => void printed.push(text) } as Terminal
  const report = openReport(terminal, { path: at('report'), isResumed: false, isDryRun: false })
  for (const rejection of reject(1, 120)) report.add(rejection)
  expect(existsSync(at('report'))).toBe(false)
  expect(report.end()).toEqual(reject(1, 100))
  expect(printed).toHaveLength(21)
  expect(printed[19]).toBe('line 20: is bad\n')
  expect(printed[20]).toBe(`… and 100 more lines, all in ${at('report')}\n`)
  expect(readFileSync(at('report'), 'utf8').trimEnd().split('\n')).toHaveLength(120)
  const short = openReport(terminal, { path: undefined, isResumed: false, isDryRun: false })
  for (const rejection of reject(1, 20)) short.add(rejection)
  short.end()
  expect(printed).toHaveLength(41)
})

test('a report goes on where an interrupted import stopped, and begins again for a new one and for a dry run', () => {
  const terminal = { printMessage: () => undefined } as unknown as Terminal
  const reject = (line: number, { isResumed = false, isDryRun = false }) => {
    const report = openReport(terminal, { path: at('again'), isResumed, isDryRun })
    report.add({ line, message: 'is bad' })
    return report
  }
  const lines = () => readFileSync(at('again'), 'utf8').match(/"line":\d/g)
  reject(1, {}).pause()
  reject(2, { isDryRun: true }).end()
  expect(lines()).toEqual(['"line":2'])
  reject(3, { isResumed: true }).end()
  expect(lines()).toEqual(['"line":1', '"line":3'])
  reject(4, {}).end()
  expect(lines()).toEqual(['"line":4'])
})

test('the bar is drawn ten times a second at most, and only for a person', () => {
  let now = 1_000
  const drawn: string[] = []
  const terminal = (isWatched: boolean) =>
    ({ isWatched, draw: (text: string) => void drawn.push(text), now: () => now }) as unknown as Terminal
  const bar = progressBar(terminal(true))
  bar.clear()
  for (const ms of [0, 99, 1]) {
    now += ms
    bar.update(0.5, 'half')
  }
  bar.end()
  const half = '\r\x1b[K[############------------] 50 %  half'
  expect(drawn).toEqual([half, half, '\n'])
  const unseen = progressBar(terminal(false))
  unseen.update(1, 'all')
  unseen.clear()
  unseen.end()
  expect(drawn).toHaveLength(3)
})
