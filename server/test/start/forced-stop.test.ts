import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { eventually } from '../harness/eventually.ts'
import { ownProcesses } from '../harness/own-processes.ts'

// Stops that take seconds, as promised. They wait at the same time, and use no processor time meanwhile.

const { newHome, run } = ownProcesses()

test.concurrent('a request that never ends delays the stop by ten seconds at most', async () => {
  const key = newSecret()
  const service = run(newHome(), { ADMIN_API_KEY: key, SAMPLE_DATA: 'false' })
  await service.ready
  // The head of a request whose body does not come, so that it stays in progress.
  const socket = connect(service.port, '127.0.0.1')
  socket.on('error', () => undefined)
  const head = `POST /categories HTTP/1.1\r\nHost: test\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
  await new Promise((resolve) => socket.write(`${head}Content-Length: 20\r\n\r\n{`, resolve))
  // The service has read the head once a later request gets a response.
  await fetch(`${service.url}/pets`, { headers: { 'X-API-Key': key } })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  expect(await service.kill('SIGTERM')).toBe(0)
  await closed
  socket.destroy()
})

test.concurrent('a draining node keeps its streams until load balancers have noticed, then ends them and keeps responding', async () => {
  const key = newSecret()
  const service = run(newHome(), { ADMIN_API_KEY: key, SAMPLE_DATA: 'false', DRAIN_SECONDS: '8' })
  await service.ready
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const { body: stream } = await fetch(`${service.url}/events/stream?after=latest`, { headers })
  const exited = service.kill('SIGTERM')
  const readiness = async () => (await (await fetch(`${service.url}/readyz`)).json()) as { status: string }
  await eventually(async () => (await readiness()).status !== 'ok')
  await fetch(`${service.url}/categories`, { method: 'POST', headers, body: '{"name":"After the signal"}' })
  let received = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream as ReadableStream<Uint8Array>) received += decoder.decode(chunk, { stream: true })
  expect(received).toContain('After the signal')
  expect((await readiness()).status).toBe('draining')
  expect(await exited).toBe(0)
})
