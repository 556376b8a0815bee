import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../scripts/free-port.ts'
import { guideValues } from '../../src/pages/guide-values.ts'
import { filled, guides } from '../../src/pages/guides.ts'
import { readDocument } from '../../src/pages/reference/document.ts'
import { type Service, startService } from '../harness/service.ts'

// The examples are run as a reader would: in a shell, with curl, one after the other, against a service of their own.

let service: Service
beforeAll(async () => {
  const port = await freePort()
  service = await startService({
    env: { SAMPLE_DATA: 'true', PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
  })
})
afterAll(() => service.stop())

interface Example {
  readonly code: string
  /** The lines that its output must have; `…` stands for anything. */
  readonly expected: string[]
}

function examplesOf(text: string): Example[] {
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({ language, code }))
  return blocks.flatMap(({ language, code = '' }, index) => {
    if (language !== 'bash') return []
    const next = blocks[index + 1]
    return [{ code, expected: next && next.language !== 'bash' ? (next.code ?? '').trim().split('\n') : [] }]
  })
}

const mark = '=== end of example ==='

async function run(examples: readonly Example[]): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-guide-'))
  const script = examples.map(
    ({ code }) => `${code.replaceAll('ps_your_key', service.adminSecret)}\necho; echo '${mark}'`,
  )
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script.join('\n')], {
    cwd: directory,
    env: { ...process.env, PETSTORE_URL: service.url, PETSTORE_KEY: service.adminSecret },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  rmSync(directory, { recursive: true, force: true })
  if (exitCode !== 0) throw new Error(`the examples end with ${exitCode}: ${stderr}\n${stdout}`)
  return stdout.split(mark)
}

const pattern = (line: string) =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}\\r?$`,
    'im',
  )

const values = () => guideValues(service.url, readDocument(service.contract.description))

for (const { name, text } of guides) {
  test(`every example in the guide ${name} runs and answers as shown`, async () => {
    const examples = examplesOf(filled(text, values()))
    expect(examples.length > 0 || name === 'changelog').toBe(true)
    if (examples.length === 0) return
    const outputs = await run(examples)
    for (const [index, { expected }] of examples.entries()) {
      for (const line of expected) expect(outputs[index]).toMatch(pattern(line))
    }
  })
}

test('the guides show the plans and the bans as the code has them', async () => {
  const text = await (await fetch(`${service.url}/docs/guides/limits`)).text()
  for (const words of ['60', '1,000', '300', '10,000', '100,000', '2 minutes', '24 hours'])
    expect(text).toContain(words)
  expect(text).not.toContain('{{')
})

test('every link on every page leads somewhere, to the very anchor', async () => {
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
