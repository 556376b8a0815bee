import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { newSigningSecret, signatures } from '../../../src/platform/webhooks/sign.ts'
import { eventually } from '../../harness/eventually.ts'
import { type Running, root, runProgram } from '../../harness/run/run-service.ts'
import { newDirectory } from '../../harness/scratch.ts'
import { testClock } from '../../harness/service.ts'
import { newWebhook, startShop } from './shop.ts'

// Runs the guide's receivers, and the service sends to them. The clock shows the real time.

const service = await startShop({ clock: testClock(Date.now()) })
const scratch = newDirectory()
afterAll(async () => {
  await service.stop()
  scratch.remove()
})

const guideFolder = join(root, 'server/src/shop/guides/receivers')

const receivers = [
  ['JavaScript', Bun.which('node'), join(guideFolder, 'receiver.mjs')],
  ['Python', Bun.which('python3'), join(guideFolder, 'receiver.py')],
] as const

async function start(command: string[], env: Record<string, string>, readyWhen: RegExp): Promise<[Running, string]> {
  const running = runProgram({ command, cwd: scratch.path, env, readyWhen })
  await running.ready
  return [running, readyWhen.exec(running.output())?.[1] as string]
}

/** Sends headers and a body byte by byte as they are, and resolves to the status of the response, if there is one. */
function statusOf(port: string, rest: string, { breaksOff = false } = {}): Promise<number | undefined> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(Buffer.from(`POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${rest}`, 'latin1'), () => {
        if (breaksOff) socket.destroy()
      })
    })
    socket.on('data', (bytes) => {
      received += bytes
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Number(/^HTTP\/1\.\d (\d+)/.exec(received)?.[1]) || undefined))
  })
}

for (const [language, command, file] of receivers) {
  test.skipIf(!command)(
    `the receiver in ${language} takes what the service signed, once, and nothing else`,
    async () => {
      const client = await service.newClient({ preset: 'staff' })
      const { path, secret } = await newWebhook(client, 'http://127.0.0.1:9999', { events: ['category.*'] })
      const inbox = join(scratch.path, `${language}.ndjson`)
      const env = { WEBHOOK_SECRET: secret, PORT: '0', HOME: scratch.path, INBOX: inbox }
      const storedIds = () =>
        readFileSync(inbox, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).id)
      const [running, port] = await start([command as string, file], env, /listening on port (\d+)/)
      await using _ = running
      const url = `http://127.0.0.1:${port}`
      await client.patch(path, { url })
      await client.newCategory()
      await eventually(() => running.output().includes('category.created evt_'))
      const delivery = await eventually(async () => {
        const { body } = await client.get(`${path}/deliveries?state=delivered`)
        return body[0]
      })
      // A duplicate is accepted, and processed once.
      await client.post(`${path}/deliveries/${delivery.id}/redeliver`)
      await eventually(
        async () => (await client.get(`${path}/deliveries?state=delivered`)).body[0]?.attempts.length === 2,
      )
      // During a rotation there are two signatures, and the receiver knows the old secret.
      await client.post(`${path}/rotate`)
      await client.newCategory()
      await eventually(() => running.output().match(/category\.created/g)?.length === 2)

      const forge = async (body: string, secretOf: string, ageSeconds = 0) => {
        const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
        const signed = { id: 'evt_forged', timestamp, body }
        const headers = {
          'webhook-id': 'evt_forged',
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatures([secretOf], signed),
        }
        return (await fetch(url, { method: 'POST', headers, body })).status
      }
      expect(await forge('{}', newSigningSecret())).toBe(400)
      expect(await forge('{}', secret, 301)).toBe(400)
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400)
      const now = String(Math.floor(Date.now() / 1000))
      const signed = (timestamp: string, signature: string, body = 'Content-Length: 2\r\n\r\n{}') =>
        statusOf(
          port,
          `webhook-id: evt_é\r\nwebhook-timestamp: ${timestamp}\r\nwebhook-signature: ${signature}\r\n${body}`,
        )
      expect(await signed(now, 'v1,sígnature')).toBe(400)
      expect(await signed('²', 'v1,any')).toBe(400)
      expect(await signed(now, 'v1,any', 'Content-Length: -1\r\n\r\n')).toBe(400)
      expect(await signed(now, 'v1,any', 'Transfer-Encoding: chunked\r\n\r\nno length\r\n')).toBe(400)
      expect(running.errors()).not.toMatch(/Error|Traceback/)
      expect(running.output().match(/category\.created/g)).toHaveLength(2)
      expect(running.output()).not.toContain('evt_forged')
      const before = storedIds()
      expect([before.length, before[0]]).toEqual([2, delivery.eventId])

      // A proxy may send the body in chunks, and a sender may break off in the middle.
      const text = JSON.stringify({ id: 'evt_chunked', type: 'category.created' })
      const signature = signatures([secret], { id: 'evt_chunked', timestamp: Number(now), body: text })
      const chunked = `webhook-id: evt_chunked\r\nwebhook-timestamp: ${now}\r\nwebhook-signature: ${signature}\r\nTransfer-Encoding: chunked\r\n\r\n`
      const chunks = [text.slice(0, 10), text.slice(10), ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      expect(await statusOf(port, chunked + chunks[0], { breaksOff: true })).toBeUndefined()
      expect(await statusOf(port, chunked + chunks.join(''))).toBe(204)
      expect(storedIds()).toEqual([...before, 'evt_chunked'])

      // After a restart it still knows what it has stored.
      await running.kill('SIGKILL')
      const again = await start([command as string, file], { ...env, PORT: port }, /listening on port (\d+)/)
      await using restarted = again[0]
      await client.post(`${path}/deliveries/${delivery.id}/redeliver`)
      await eventually(async () => {
        const { body } = await client.get(`${path}/deliveries?state=delivered`)
        return body.find(({ id }: { id: number }) => id === delivery.id)?.attempts.length === 3
      })
      expect(storedIds()).toHaveLength(3)
      expect(restarted.output()).not.toContain('category.created')
    },
  )

  test.skipIf(!command)(
    `the receiver in ${language} does not start without a secret, so nothing forged is taken`,
    async () => {
      for (const secret of [{}, { WEBHOOK_SECRET: '' }, { WEBHOOK_SECRET: 'whsec_' }]) {
        const running = runProgram({
          command: [command as string, file],
          cwd: scratch.path,
          env: { PORT: '0', ...secret },
          readyWhen: /listening/,
        })
        running.ready.catch(() => undefined)
        expect(await running.exited).not.toBe(0)
        expect(running.errors()).toContain('Set WEBHOOK_SECRET')
      }
    },
  )
}

test('npm run receive says so if no service responds', async () => {
  const env = { ...process.env, PETSTORE_URL: 'http://127.0.0.1:1', PETSTORE_API_KEY: 'any' }
  const child = Bun.spawn([process.execPath, join(root, 'scripts/receive.ts')], {
    env,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  expect([await child.stderr.text(), await child.exited]).toEqual([
    expect.stringMatching(/^Nothing responds at http:\/\/127\.0\.0\.1:1\. Start the service/),
    1,
  ])
})

test('npm run receive creates its own webhook, and prints the verified events', async () => {
  const env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.adminSecret }
  const command = [process.execPath, join(root, 'scripts/receive.ts'), '--events', 'category.*']
  const [running] = await start(command, env, /Listening on (\S+)/)
  await using _ = running
  await service.admin.newCategory('Printed')
  await eventually(() => /category\.created evt_\S+ has a valid signature/.test(running.output()))
  expect(running.output()).toContain('"name": "Printed"')
  const own = '/webhooks?keyId=1'
  const [webhook] = (await service.admin.get(own)).body
  expect(webhook.events).toEqual(['category.*'])
  expect(await running.kill('SIGTERM')).toBe(0)
  expect((await service.admin.get(own)).body).toEqual([])
})
