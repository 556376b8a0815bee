import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { ownProcesses } from '../harness/own-processes.ts'

// Waits ten seconds, and uses no processor time meanwhile.

const { newHome, run } = ownProcesses()

test('a request that never ends delays the stop by ten seconds at most', async () => {
  const key = newSecret()
  const service = run(newHome(), { ADMIN_API_KEY: key, SAMPLE_DATA: 'false' })
  await service.ready
  // The head of a request whose body does not come, so that it stays in progress.
  const socket = connect(service.port, '127.0.0.1')
  socket.on('error', () => undefined)
  const head = `POST /categories HTTP/1.1\r\nHost: test\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
  await new Promise((resolve) => socket.write(`${head}Content-Length: 20\r\n\r\n{`, resolve))
  // The service has read the head once a later request is answered.
  await fetch(`${service.url}/pets`, { headers: { 'X-API-Key': key } })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  expect(await service.kill('SIGTERM')).toBe(0)
  await closed
  socket.destroy()
})
