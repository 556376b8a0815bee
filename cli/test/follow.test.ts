import { afterAll, expect, test } from 'bun:test'
import { petstore, program } from './harness/petstore.ts'
import { startSampleShop } from './harness/sample-shop.ts'

const shop = await startSampleShop()
const { env } = shop
afterAll(() => shop.stop())

/** Runs a command, creates a pet as soon as it has printed `announcement`, and returns its output when it ends. */
async function createPetAfter(announcement: string, words: readonly string[]): Promise<string> {
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const decoder = new TextDecoder()
  let messages = ''
  for await (const chunk of child.stderr) {
    messages += decoder.decode(chunk, { stream: true })
    if (messages.includes(announcement)) break
  }
  expect(messages).toContain(announcement)
  await petstore(['pets', 'create', '--name', 'Right after', '--category-id', '1'], { env })
  const [output, code] = await Promise.all([child.stdout.text(), child.exited])
  expect(code).toBe(0)
  return output
}

const one = ['--limit', '1', '--json']

test('events tail says when it is connected, and prints an event made right after', async () => {
  const words = ['events', 'tail', '--type', 'pet.created', ...one]
  const output = await createPetAfter('Waiting for events.', words)
  expect(JSON.parse(output).data.name).toBe('Right after')
})

test('webhooks listen says when it is connected, and sends an event made right after', async () => {
  const names: string[] = []
  using receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      names.push(((await request.json()) as { data: { name: string } }).data.name)
      return new Response(null, { status: 204 })
    },
  })
  const to = `http://127.0.0.1:${receiver.port}/hooks`
  const words = ['webhooks', 'listen', '--forward-to', to, '--events', 'pet.created', ...one]
  expect(JSON.parse(await createPetAfter('Sending events to', words)).status).toBe(204)
  expect(names).toEqual(['Right after'])
})

const following = [
  ['events', 'tail'],
  ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:1/'],
]

test('a service that does not respond is reported', async () => {
  const nowhere = { ...env, PETSTORE_URL: 'http://127.0.0.1:1' }
  for (const words of following) {
    const { code, errors } = await petstore(words, { env: nowhere })
    expect([code, errors]).toEqual([7, expect.stringContaining('did not respond')])
  }
})

test('nothing is announced before the service has accepted the stream', async () => {
  const wrongKey = { ...env, PETSTORE_API_KEY: 'ps_wrong' }
  for (const words of following) {
    const { code, errors } = await petstore(words, { env: wrongKey })
    expect([code, /Waiting|Sending/.test(errors)]).toEqual([3, false])
  }
})
