// Reads the report that Bun writes about a test run.
import type { Engine } from './test-selection.ts'

export interface TestCase {
  readonly file: string
  /** Including the enclosing `describe` blocks. */
  readonly name: string
  readonly seconds: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed. */
  readonly error?: string
}

export interface Failure {
  readonly file: string
  /** The test; undefined if the file failed outside of tests. */
  readonly name?: string
  readonly error: string
}

const attribute = (tag: string, name: string): string =>
  decodeEntities(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
    code === undefined ? (entities[name] ?? all) : String.fromCodePoint(Number(code)),
  )

export function readReport(xml: string): TestCase[] {
  return [...xml.matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, tag = '', , inside = '']) => {
    const [failure, failureTag = '', text = ''] = /<failure([^>]*?)(?:\/>|>([\s\S]*?)<\/failure>)/.exec(inside) ?? []
    return {
      file: attribute(` ${tag}`, 'file'),
      name: [attribute(` ${tag}`, 'classname'), attribute(` ${tag}`, 'name')].filter(Boolean).join(' > '),
      seconds: Number(attribute(` ${tag}`, 'time')),
      outcome: failure !== undefined ? 'failed' : /<skipped/.test(inside) ? 'skipped' : 'passed',
      ...(failure !== undefined && { error: decodeEntities(text).trim() || attribute(failureTag, 'message') }),
    }
  })
}

/** What failed in a run: tests, files that cannot be loaded, errors between tests, or the process itself. */
export function findFailures(files: readonly string[], cases: readonly TestCase[], exitCode: number, output: string) {
  const failed: Failure[] = cases
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ file, name, error = '' }) => ({ file, name, error }))
  // Bun prints the path of a file before what it says about it.
  const outside = output.matchAll(/^# Unhandled error between tests\n-+\n([\s\S]*?)\n-+$/gm)
  for (const { 1: error = '', index } of outside) {
    const before = [...output.slice(0, index).matchAll(/^(\S+\.test\.ts):$/gm)].at(-1)?.[1]
    failed.push({ file: before ?? files.join(' '), error })
  }
  if (exitCode !== 0 && failed.length === 0) {
    const lastLines = output.trimEnd().split('\n').slice(-12).join('\n')
    failed.push({ file: files.join(' '), error: `The process ended with ${exitCode}.\n${lastLines}` })
  }
  return failed
}

export interface EngineCases {
  readonly engine: Engine
  readonly cases: readonly TestCase[]
}

/**
 * The tests that should have run on an engine and did not: those that ran on no engine, unless their file also belongs to an engine
 * that is not part of this run; and those in a file that lacks a program on this engine.
 */
export function findSkipped(
  runs: readonly EngineCases[],
  lacksProgram: (file: string, engine: Engine) => boolean,
  isAlsoElsewhere: (file: string) => boolean,
): TestCase[] {
  const key = ({ file, name }: TestCase) => `${file}\n${name}`
  const ran = new Set(runs.flatMap(({ cases }) => cases.filter(({ outcome }) => outcome !== 'skipped').map(key)))
  const hasRun = (test: TestCase) => {
    // Bun reports a skipped group as one test without a name.
    if (!test.name.endsWith('(unnamed)')) return ran.has(key(test))
    const group = key(test).slice(0, -'(unnamed)'.length)
    return [...ran].some((one) => one.startsWith(group))
  }
  const skipped = new Map<string, TestCase>()
  for (const { engine, cases } of runs) {
    for (const test of cases.filter(({ outcome }) => outcome === 'skipped')) {
      const lacks = lacksProgram(test.file, engine)
      if (hasRun(test)) {
        if (lacks) skipped.set(`${key(test)}\n${engine}`, test)
      } else if (lacks || !isAlsoElsewhere(test.file)) skipped.set(key(test), test)
    }
  }
  return [...skipped.values()]
}
