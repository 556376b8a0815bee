// Reads the report that Bun writes about a test run.

export interface TestCase {
  readonly file: string
  /** Including the enclosing `describe` blocks. */
  readonly name: string
  readonly seconds: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
}

const attribute = (tag: string, name: string): string =>
  decodeEntities(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }
const decodeEntities = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities[entity] ?? '')

export function readReport(xml: string): TestCase[] {
  return [...xml.matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, tag = '', , inside = '']) => ({
    file: attribute(` ${tag}`, 'file'),
    name: [attribute(` ${tag}`, 'classname'), attribute(` ${tag}`, 'name')].filter(Boolean).join(' > '),
    seconds: Number(attribute(` ${tag}`, 'time')),
    outcome: /<failure/.test(inside) ? 'failed' : /<skipped/.test(inside) ? 'skipped' : 'passed',
  }))
}

/** The tests that ran on no engine. Bun reports a skipped group as one test without a name. */
export function skippedEverywhere(runs: readonly (readonly TestCase[])[]): TestCase[] {
  const key = ({ file, name }: TestCase) => `${file}\n${name}`
  const all = runs.flat()
  const ran = new Set(all.filter(({ outcome }) => outcome !== 'skipped').map(key))
  const hasRun = (test: TestCase) => {
    if (!test.name.endsWith('(unnamed)')) return ran.has(key(test))
    const group = key(test).slice(0, -'(unnamed)'.length)
    return [...ran].some((one) => one.startsWith(group))
  }
  const skipped = all.filter((test) => !hasRun(test))
  return [...new Map(skipped.map((test) => [key(test), test])).values()]
}

/** Each test that failed and each error outside tests, with the beginning of what Bun printed about it. */
export function describeFailures(cases: readonly TestCase[], output: string): string[] {
  const describe = (title: string, error: string) => {
    const lines = error.split('\n').filter((line) => line.trim() !== '')
    return [title, ...lines.slice(0, 12)].join('\n      ')
  }
  const failed = cases.filter(({ outcome }) => outcome === 'failed')
  const outside = output.matchAll(/^# (Unhandled error between tests)\n-+\n([\s\S]*?)\n-+$/gm)
  return [
    ...failed.map(({ file, name }) => {
      const [before = ''] = output.split(`(fail) ${name}`, 1)
      const printed = before.slice(before.lastIndexOf('\n(fail) ') + 1)
      const lastError = printed.search(/^\w*error: (?![\s\S]*^\w*error: )/im)
      return describe(`${file}: ${name}`, printed.slice(lastError))
    }),
    ...outside.map(([, title = '', error = '']) => describe(title, error)),
  ]
}

/** How long each file took, including setup. */
export function readFileSeconds(xml: string): [file: string, seconds: number][] {
  return [...xml.matchAll(/<testsuite name="([^"]+)" file="\1"[^>]* time="([\d.]+)"/g)].map(
    ([, file = '', seconds]) => [file, Number(seconds)],
  )
}
