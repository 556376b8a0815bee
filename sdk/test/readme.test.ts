import { afterAll, expect, spyOn, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { startService } from '../../server/test/harness/service.ts'

// Every example of the README, in order, on a fresh sample shop.

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
const project = newDirectory()
afterAll(async () => {
  await service.stop()
  project.remove()
})

const readme = readFileSync(join(import.meta.dir, '../README.md'), 'utf8')
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```(?:\n\n(?:[^`\n]+\n\n)?```text\n([\s\S]*?)```)?/g)]
const examples = blocks.map(([, code = '']) =>
  code.replaceAll('https://petstore.example.com', service.url).replaceAll('ps_...', service.adminSecret),
)
/** What each example prints, or prints first. */
const shown = blocks.map(([, , text = '']) => text)
/** The other examples use what the first one declares. */
const beginning = (examples[0] ?? '').split('\n\n').slice(0, 2).join('\n')
const programs = examples.map((code, index) =>
  index === 0 || !code.includes('petstore.') ? code : `${beginning}\n${code}`,
)

const sources = join(import.meta.dir, '../src/index.ts')
const files = programs.map((code, index) => {
  const file = join(project.path, `example-${index}.ts`)
  writeFileSync(file, `${code.replaceAll("'@petstore/sdk'", JSON.stringify(sources))}\nexport {}\n`)
  return file
})

const secret = `whsec_${btoa('a secret of thirty-two characters')}`

/** A request as the service sends it. */
function signedRequest(): Request {
  const body = '{"type":"order.placed","data":{"petId":17}}'
  const now = new Date()
  const headers = {
    'webhook-id': '1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('1', now, body),
  }
  return new Request('https://receiver.example.com', { method: 'POST', body, headers })
}

test('the examples compile under strict flags', () => {
  const config = {
    extends: join(import.meta.dir, '../tsconfig.json'),
    compilerOptions: { noUnusedLocals: true },
    include: ['*.ts'],
  }
  writeFileSync(join(project.path, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(import.meta.dir, '../../node_modules/.bin/tsc')
  const { stdout } = Bun.spawnSync([tsc, '-p', project.path])
  expect(stdout.toString()).toBe('')
})

test('there are examples, and each of them prints what follows it', async () => {
  expect(files.length).toBeGreaterThan(5)
  const log = spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    for (const [index, file] of files.entries()) {
      log.mockClear()
      const { receive } = await import(file)
      if (receive) expect((await receive(signedRequest(), secret)).status).toBe(204)
      const lines = log.mock.calls.map((words) => `${words.join(' ')}\n`)
      const expected = shown[index] ?? ''
      expect(expected === '' ? lines.join('') : lines.slice(0, expected.split('\n').length - 1).join('')).toBe(expected)
    }
  } finally {
    log.mockRestore()
  }
})
