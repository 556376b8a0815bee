import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import { newDirectory } from '../scratch.ts'
import { findFailures } from './test-report.ts'
import { runTests } from './test-run.ts'

/** What fails in a test file that does this with a part of the product. */
async function failuresOf(product: string, test: string): Promise<string[]> {
  using directory = newDirectory()
  const { path: scratch } = directory
  await Bun.write(join(scratch, 'server/src/part.ts'), product)
  const file = join(scratch, 'part.test.ts')
  await Bun.write(
    file,
    `import { test } from 'bun:test'
     import * as part from './server/src/part.ts'
     test('passes', async () => { ${test} })`,
  )
  const files = [relative('.', file)]
  const run = await runTests({ files, env: {}, timeoutMs: 60_000, scratch, nothingLeft: true })
  expect(run.cases[0]?.outcome).toBe('passed')
  return findFailures(files, run.cases, run.exitCode, run.output).map(({ error }) => error)
}

test('a test file fails if the product leaves something behind', async () => {
  const [failure = '', ...others] = await failuresOf(
    `export const { signal } = new AbortController()
     export function leave() {
       setTimeout(() => {}, 3_600_000)
       setInterval(() => {}, 10)
       signal.addEventListener('abort', () => {})
       Bun.serve({ port: 0, fetch: () => new Response() })
     }`,
    'part.leave()',
  )
  expect(others).toEqual([])
  const kinds = [/a timer of \S+part.ts:3:/, /a timer of \S+part.ts:4:/, /a listener of \S+part.ts:5:/, /the port \d+/]
  for (const kind of kinds) expect(failure).toMatch(kind)
})

test('what the product ends or removes, and what is over, is not left behind', async () => {
  const failures = await failuresOf(
    `const own = new AbortController()
     export async function leaveNothing(theirs) {
       clearTimeout(setTimeout(() => {}, 3_600_000))
       clearInterval(setInterval(() => {}, 10))
       setTimeout(() => {}, 50)
       const listener = () => {}
       theirs.addEventListener('abort', listener)
       theirs.removeEventListener('abort', listener)
       own.signal.addEventListener('abort', listener)
       own.abort()
       new AbortController().signal.addEventListener('abort', listener)
       await Bun.serve({ port: 0, fetch: () => new Response() }).stop()
     }`,
    'await part.leaveNothing(new AbortController().signal)',
  )
  expect(failures).toEqual([])
})

test('what a test or a library leaves is not that of the product', async () => {
  const failures = await failuresOf('', 'setTimeout(() => {}, 3_600_000)')
  expect(failures).toEqual([])
})
