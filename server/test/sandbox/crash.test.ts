import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { onFreePort } from '../harness/run/free-port.ts'
import { runProgram } from '../harness/run/run-service.ts'
import { programFile } from '../harness/run/test-programs.ts'
import { type TestSandbox, toSandbox } from '../harness/sandbox.ts'
import { newDirectory } from '../harness/scratch.ts'

async function startProgram(directory: string, port: number) {
  const words = ['sandbox', '--port', String(port), '--json', '--directory', directory]
  const running = runProgram({
    command: [process.execPath, programFile('petstore'), ...words],
    readyWhen: /\n/,
  })
  await running.ready
  const { url, sandbox } = JSON.parse(running.output()) as { url: string; sandbox: Omit<TestSandbox, 'send'> }
  return { running, port, url, sandbox: toSandbox(sandbox) }
}

/** On a port that the system gives to no other program until it starts again. */
const startFirst = (directory: string) => onFreePort((port) => startProgram(directory, port))

const newKey = async ({ send }: TestSandbox): Promise<string> =>
  (await send('POST', '/keys', { name: 'Till', plan: 'free', preset: 'reader' })).body.secret

test('after kill -9 of a busy host, the requests up to the last second are there', async () => {
  using directory = newDirectory()
  const first = await startFirst(directory.path)
  const { send, id } = first.sandbox
  const file = join(directory.path, 'sandboxes', id, 'requests.jsonl')
  let isBusy = true
  let acknowledged = 0
  const load = Array.from({ length: 16 }, async () => {
    while (isBusy) {
      await send('GET', '/categories?limit=1')
      acknowledged++
    }
  })
  await eventually(() => acknowledged > 2_000)
  const seen = acknowledged
  const lastId = () => Number(/\{"id":(\d+),.*\n$/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
  // It is written while requests keep coming.
  await eventually(() => lastId() >= seen)
  const killed = first.running.kill('SIGKILL')
  isBusy = false
  await Promise.allSettled([...load, killed])
  const written = lastId()

  const second = await startProgram(directory.path, first.port)
  const { data } = (await second.sandbox.send('GET', '/_sandbox/requests')).body
  expect([data.length, data[0].id]).toEqual([1_000, written])
  await second.running.kill('SIGTERM')
})

test('after kill -9 of the host everything is there', async () => {
  using directory = newDirectory()
  const first = await startFirst(directory.path)
  const { send, url } = first.sandbox
  const { body: order } = await send('POST', '/store/orders', { petId: 1 })
  const secrets = [await newKey(first.sandbox)]
  await send('PUT', '/_sandbox/clock', { advanceSeconds: 86_400 })
  await send('PUT', '/_sandbox/faults', { rules: [{ operation: 'listPets', fault: 'unavailable', times: 3 }] })
  expect((await send('GET', '/pets')).status).toBe(503)
  const requests = () => send('GET', '/_sandbox/requests')
  // Reading them writes them to the file.
  const recorded = (await requests()).body.data
  await first.running.kill('SIGKILL')

  const second = await startProgram(directory.path, first.port)
  expect(second.sandbox.url).toBe(url)
  expect((await requests()).body.data).toEqual(recorded)
  expect((await send('GET', `/store/orders/${order.id}`)).body).toEqual(order)
  const { at } = (await send('GET', '/_sandbox/clock')).body
  expect(Date.parse(at) - Date.now()).toBeWithin(86_000_000, 86_401_000)
  const statuses = [await send('GET', '/pets'), await send('GET', '/pets'), await send('GET', '/pets')]
  expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200])
  secrets.push(await newKey(second.sandbox))
  expect(secrets).toEqual([expect.stringMatching(/^ps_/), expect.stringMatching(/^ps_/)])
  expect(secrets[0]).not.toBe(secrets[1])

  expect(await second.running.kill('SIGTERM')).toBe(0)
  await eventually(() => second.running.hasEnded())
})
