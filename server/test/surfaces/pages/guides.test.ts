import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { startTemporaryHost } from '../../../src/sandbox/serve.ts'
import { petShop } from '../../../src/shop/index.ts'
import { guideValues } from '../../../src/surfaces/pages/guide-values.ts'
import { fillTemplate, readGuides } from '../../../src/surfaces/pages/guides.ts'
import { readDocument } from '../../../src/surfaces/pages/reference/document.ts'
import { onFreePort } from '../../harness/run/free-port.ts'
import { newDirectory } from '../../harness/scratch.ts'
import { type Service, startService } from '../../harness/service.ts'
import { type Ended, type Example, examplesOf, programLanguages, runExample, runProgram } from './guide-examples.ts'
import { differences } from './shown-output.ts'

// Runs the examples as a reader would: each guide in a new sample shop, and compares what they print with what the guide shows.

// The others are documents of the repository, whose examples have their own tests.
const allGuides = readGuides(petShop.guides).flatMap((part) => part.guides)
const guides = allGuides.filter(({ name }) =>
  existsSync(new URL(`../../../src/shop/guides/${name}.md`, import.meta.url)),
)

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
/** Its pages show the port. */
const startSampleShop = () =>
  onFreePort((port) =>
    startService({ env: { SAMPLE_DATA: 'true', PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` } }),
  )
let service: Service
beforeAll(async () => {
  service = await startSampleShop()
})
afterAll(async () => {
  await service.stop()
  await host.stop()
})

const fillGuide = (text: string, { url, contract } = service) =>
  fillTemplate(text, guideValues(petShop, url, readDocument(contract.description)))

const mark = '=== end of example ==='

function stdoutOf({ exitCode, stdout, stderr }: Ended): string {
  if (exitCode !== 0) throw new Error(`an example ends with ${exitCode}: ${stderr}\n${stdout}`)
  return stdout
}

/** The output of each shell example; they share one shell, like the reader's, which only knows what the guide sets. */
async function outputsInShell(examples: readonly Example[], directory: string, key: string): Promise<string[]> {
  const script = examples.map(({ programs: [program] }) => `${program?.text}\necho '${mark}'`).join('\n')
  const text = script.replaceAll('ps_your_key', key).replaceAll('http://127.0.0.1:8090', host.url)
  return stdoutOf(await runProgram(['sh', '-euc', text], directory, {})).split(`${mark}\n`)
}

const inReadersTerminal = ({ url, adminSecret }: Service, apiKey = adminSecret) => ({
  PETSTORE_URL: url,
  PETSTORE_API_KEY: apiKey,
})

/** What prints something that is not shown: a stream prints when something happens. */
const isUnpredictable = ({ programs: [program] }: Example) => program?.text.includes('/events/stream')

for (const { name, text } of guides) {
  test(`every example in the guide ${name} prints what the guide shows`, async () => {
    const shop = await startSampleShop()
    using directory = newDirectory()
    try {
      const examples = examplesOf(fillGuide(text, shop))
      expect(examples.length > 0 || name === 'event-deliveries').toBe(true)
      const inShell = await outputsInShell(examples, directory.path, shop.adminSecret)
      const others = await Promise.all(
        examples.map(({ programs }) =>
          Promise.all(programs.slice(1).map((program) => runExample(program, directory.path, inReadersTerminal(shop)))),
        ),
      )
      for (const [index, example] of examples.entries()) {
        const ended = (others[index] ?? []).flatMap((each) => (each ? [stdoutOf(each)] : []))
        for (const real of [inShell[index] ?? '', ...ended]) {
          if (example.shown) expect(differences(real, example.shown)).toEqual([])
          else if (!isUnpredictable(example))
            expect([example.programs[0]?.text, real]).toEqual([example.programs[0]?.text, ''])
        }
      }
    } finally {
      await shop.stop()
    }
  })
}

test('no guide abbreviates an output', () => {
  for (const { name, text } of guides) {
    for (const { programs, shown } of examplesOf(text)) {
      expect([name, ...programs.map(({ language }) => language)].slice(1)).toEqual(
        programLanguages.slice(0, programs.length),
      )
      if (shown && shown.language !== 'text') expect([name, shown.text]).toEqual([name, shown.text.replaceAll('…', '')])
    }
  }
})

test('every guide with examples first sets the URL and the key', () => {
  for (const { name, text } of guides) {
    const [first] = examplesOf(fillGuide(text))
    const variables = [...(first?.programs[0]?.text ?? '').matchAll(/export (\w+)=/g)].map(([, variable]) => variable)
    const expected = name === 'testing' ? ['PETSTORE_SANDBOX_URL'] : ['PETSTORE_URL', 'PETSTORE_API_KEY']
    if (first) expect({ name, variables }).toEqual({ name, variables: expected as (string | undefined)[] })
  }
})

test('the quickstart prints the error that it shows if the key may not create pets', async () => {
  using directory = newDirectory()
  const { secret } = (await service.admin.post('/keys', { name: 'App', plan: 'free', preset: 'client' })).body
  const quickstart = fillGuide(guides.find(({ name }) => name === 'quickstart')?.text ?? '')
  const [, shown = ''] = /^```json\n(\{\n {2}"code": "insufficient_scope"[\s\S]*?)^```$/m.exec(quickstart) ?? []
  const { programs } = examplesOf(quickstart).at(-1) as Example
  const ended = await Promise.all(
    programs.map((program) => runExample(program, directory.path, inReadersTerminal(service, secret))),
  )
  const [inShell, ...others] = ended.flatMap((each) => (each ? [each] : []))
  expect(differences(inShell?.stdout ?? '', { language: 'json', text: shown })).toEqual([])
  const { code, message } = JSON.parse(shown)
  for (const { exitCode, stderr } of others) {
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`${code}: ${message}`)
  }
})

test('the guides show the plans and the bans as the code has them', async () => {
  const text = await (await fetch(`${service.url}/docs/guides/limits`)).text()
  for (const words of ['60', '1,000', '300', '10,000', '100,000', '2 minutes', '24 hours'])
    expect(text).toContain(words)
  expect(text).not.toContain('{{')
})

test('every link on every page leads to an existing page and anchor', async () => {
  const seen = new Map<string, string>()
  const read = async (path: string) => {
    const response = await fetch(service.url + path, { headers: { Accept: 'text/html' } })
    if (response.status !== 200) throw new Error(`${path} returns ${response.status}`)
    return response.text()
  }
  const waiting = [{ from: '', path: '/', anchor: '' }]
  for (let link = waiting.pop(); link; link = waiting.pop()) {
    const { from, path, anchor } = link
    if (!seen.has(path)) {
      const text = await read(path)
      seen.set(path, text)
      for (const [, href = ''] of text.matchAll(/<(?:a|link|script|img)\b[^>]*\b(?:href|src)="([^"]*)"/g)) {
        const url = new URL(href, service.url + path)
        expect(url.origin).toBe(service.url)
        waiting.push({ from: path, path: url.pathname, anchor: url.hash.slice(1) })
      }
    }
    if (anchor !== '' && !seen.get(path)?.includes(`id="${anchor}"`)) {
      throw new Error(`${from} links to ${path}#${anchor}, which is not there`)
    }
  }
  expect(seen.size).toBeGreaterThan(allGuides.length)
})
