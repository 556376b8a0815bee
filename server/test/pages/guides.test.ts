import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guideValues } from '../../src/pages/guide-values.ts'
import { fillTemplate, guides } from '../../src/pages/guides.ts'
import { readDocument } from '../../src/pages/reference/document.ts'
import { startTemporaryHost } from '../../src/serve-sandboxes.ts'
import { exampleEnvironment } from '../harness/example-tools.ts'
import { freePort } from '../harness/run/free-port.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Service, startService } from '../harness/service.ts'
import { missingFrom } from './shown-output.ts'

// Runs the examples as a reader would: one after the other, with a new shop for each guide.

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())

let service: Service
beforeEach(async () => {
  const port = await freePort()
  service = await startService({
    env: { SAMPLE_DATA: 'true', PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
  })
})
afterEach(() => service.stop())

interface Block {
  readonly language: string
  readonly text: string
}

interface Example {
  /** The same in several languages, bash first. */
  readonly programs: readonly Block[]
  readonly shown: Block | undefined
}

const programLanguages = ['bash', 'ts', 'python']

function examplesOf(text: string): Example[] {
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
  return blocks.flatMap(({ language }, index): Example[] => {
    if (language !== 'bash') return []
    const others = blocks.slice(index + 1).findIndex((block) => !['ts', 'python'].includes(block.language))
    const end = others < 0 ? blocks.length : index + 1 + others
    const shown = blocks[end]
    return [{ programs: blocks.slice(index, end), shown: shown && shown.language !== 'bash' ? shown : undefined }]
  })
}

const mark = '=== end of example ==='

async function output(words: string[], cwd: string, url = service.url): Promise<string> {
  const variables = { PETSTORE_URL: url, PETSTORE_API_KEY: service.adminSecret, PETSTORE_SANDBOX_URL: host.url }
  const child = Bun.spawn(words, { cwd, env: exampleEnvironment(cwd, variables), stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (exitCode !== 0) throw new Error(`an example ends with ${exitCode}: ${stderr}\n${stdout}`)
  return stdout
}

/** The output of each bash example; they share one shell, like the reader's. */
async function outputsInBash(examples: readonly Example[], directory: string): Promise<string[]> {
  const script = examples.map(
    ({ programs: [bash] }) => `${bash?.text.replaceAll('ps_your_key', service.adminSecret)}\necho '${mark}'`,
  )
  return (await output(['bash', '-euo', 'pipefail', '-c', script.join('\n')], directory)).split(`${mark}\n`)
}

async function outputOf({ language, text }: Block, directory: string, url?: string): Promise<string | undefined> {
  if (language === 'bash') return output(['bash', '-euo', 'pipefail', '-c', text], directory, url)
  const python = Bun.which('python3')
  if (language === 'python' && !python) return undefined
  const file = join(directory, language === 'python' ? 'example.py' : 'example.mts')
  writeFileSync(file, text)
  return output(language === 'python' && python ? [python, file] : [process.execPath, file], directory, url)
}

const values = () => guideValues(service.url, readDocument(service.contract.description))

for (const { name, text } of guides) {
  test(`every example in the guide ${name} runs and answers as shown`, async () => {
    using directory = newDirectory()
    const examples = examplesOf(fillTemplate(text, values()))
    expect(examples.length > 0 || name === 'changelog').toBe(true)
    const inBash = await outputsInBash(examples, directory.path)
    for (const [index, { programs, shown }] of examples.entries()) {
      const others = await Promise.all(programs.slice(1).map((program) => outputOf(program, directory.path)))
      for (const real of [inBash[index], ...others]) {
        if (shown && real !== undefined) expect(missingFrom(real, shown)).toEqual([])
      }
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

/** A server that sends the given refusals, one per request, and counts requests. */
function refusing(answers: readonly { status: number; retryAfter?: number }[]) {
  let asked = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      const { status, retryAfter } = answers[asked++] ?? { status: 200 }
      const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
      return Response.json([{ id: 1 }], { status, headers: headers as Record<string, string> })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, asked: () => asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

for (const language of programLanguages) {
  test(`the model client of the limits guide goes on until it is served (${language})`, async () => {
    if (language === 'python' && !Bun.which('python3')) return
    const guide = guides.find(({ name }) => name === 'limits')?.text ?? ''
    const program = examplesOf(guide)
      .flatMap(({ programs }) => programs)
      .find(({ language: each, text }) => each === language && /retry-after/i.test(text))
    if (!program) throw new Error('no such client in the guide')
    using directory = newDirectory()
    await using server = refusing([{ status: 503, retryAfter: 0 }, { status: 500 }, { status: 429, retryAfter: 1 }])
    const real = await outputOf(program, directory.path, server.url)
    expect(JSON.parse(real ?? '')).toEqual([{ id: 1 }])
    expect(server.asked()).toBe(4)
  })
}

test('the guides show the plans and the bans as the code has them', async () => {
  const text = await (await fetch(`${service.url}/docs/guides/limits`)).text()
  for (const words of ['60', '1,000', '300', '10,000', '100,000', '2 minutes', '24 hours'])
    expect(text).toContain(words)
  expect(text).not.toContain('{{')
})

test('every link on every page leads to an existing page and anchor', async () => {
  const seen = new Map<string, string>()
  const read = async (path: string) => {
    const answer = await fetch(service.url + path, { headers: { Accept: 'text/html' } })
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`)
    return answer.text()
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
  expect(seen.size).toBeGreaterThan(guides.length)
})
