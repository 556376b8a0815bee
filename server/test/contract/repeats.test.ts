import { afterAll, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'
import { bodyOf, newAdministrator, newIds, pathOf } from './example-request.ts'

// Idempotency-Key on every POST.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)

const posts = service.contract.operations().filter(({ method }) => method === 'POST')

test.each(posts)('$id replays its response, but not for another body', async (operation) => {
  const ids = await newIds(api)
  const path = pathOf(operation, ids)
  const body = JSON.stringify(bodyOf(operation, ids) ?? {})
  const headers = { 'Idempotency-Key': `once-${operation.id}` }
  const first = await api.post(path, body, headers)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const again = await api.post(path, body, headers)
  expect(again.status).toBe(first.status)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  // Including secrets, which are stored encrypted.
  expect(again.body).toEqual(first.body)

  // Without a body, another path makes a different request.
  const other = operation.exampleBody
    ? await api.post(path, `${body} `, headers)
    : await api.post(pathOf(operation, await newIds(api)), undefined, headers)
  expect(other.status).toBe(422)
  expect(other.body.code).toBe('idempotency_key_reused')
})

test.each(posts)('$id returns 409 while the first request is in progress', async (operation) => {
  const ids = await newIds(api)
  const idempotencyKey = `busy-${operation.id}`
  const send = () =>
    api.post(pathOf(operation, ids), bodyOf(operation, ids) ?? {}, { 'Idempotency-Key': idempotencyKey })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // SQLite runs writes one after the other, PostgreSQL takes a lock by name: this delays both.
  const delay = Promise.withResolvers<void>()
  const holding = service.context.db.transaction(async (tx) => {
    await tx.tryLock(`idempotency:${api.keyId}:${idempotencyKey}`)
    delay.resolve()
    await released
  })
  await delay.promise
  const both = [send(), send()]
  const first = await Promise.race(both)
  release()
  await holding
  expect(first.status).toBe(409)
  expect(first.body.code).toBe('idempotency_in_progress')
  await Promise.all(both)
})
