import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DescribedOperation } from '../../../contract/checker.ts'
import { bodyOf, declares, newIdsFor, pathOf, pathOfNothing } from '../../../contract/example-request.ts'
import { runProgram } from '../../../harness/run/run-service.ts'
import { newDirectory } from '../../../harness/scratch.ts'
import { startService } from '../../../harness/service.ts'

// Prism is a proxy in front of the service and checks every request and response against the served description.

const service = await startService()
const { admin } = service
const directory = newDirectory()
const file = join(directory.path, 'openapi.json')
writeFileSync(file, JSON.stringify(service.contract.description))
const readyWhen = /is listening on (http:\S+)/
const prism = runProgram({
  command: [
    ...['node', join(import.meta.dir, 'node_modules/@stoplight/prism-cli/dist/index.js')],
    ...['proxy', file, service.url, '--errors', '--port', '0'],
  ],
  readyWhen,
})
await prism.ready
const [, proxyUrl] = readyWhen.exec(prism.output()) ?? []
afterAll(async () => {
  await prism.kill('SIGTERM')
  await service.stop()
  directory.remove()
})

// Prism reads a response to its end, which a stream does not have.
const operations = service.contract.operations().filter(({ id }) => id !== 'streamEvents')

/** Sends a request through the proxy; throws if Prism found a fault in it or in the response. */
async function send({ id, method, exampleBody }: DescribedOperation, path: string, headers = {}, body = exampleBody) {
  const response = await fetch(`${proxyUrl}${path}`, {
    method,
    headers: { 'X-API-Key': service.adminSecret, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (text.includes('stoplight.io/prism/errors')) throw new Error(`${id} ${path}: ${text}`)
  return response
}

test.each(operations)('Prism has no objection to $id: done, rejected, repeated or not there', async (operation) => {
  const ids = await newIdsFor(operation, admin)
  const path = pathOf(operation, ids)
  const done = await send(operation, path, { 'Idempotency-Key': operation.id }, bodyOf(operation, ids))
  expect([operation.id, done.status < 300]).toEqual([operation.id, true])
  if (declares(operation, 304)) {
    const etag = done.headers.get('etag') ?? ''
    expect((await send(operation, path, { 'If-None-Match': etag })).status).toBe(304)
  }
  if (operation.method === 'POST') {
    await send(operation, path, { 'Idempotency-Key': operation.id }, bodyOf(operation, ids))
  }
  if (operation.path.includes('{')) {
    expect((await send(operation, pathOfNothing(operation))).status).toBe(404)
    const problem = await send(operation, pathOfNothing(operation), { Accept: 'application/problem+json' })
    expect(problem.headers.get('content-type')).toContain('application/problem+json')
  }
  expect((await send(operation, path, { 'X-API-Key': 'ps_wrong' })).status).toBe(401)
})

test('Prism objects to a body that the description rejects', async () => {
  const createPet = operations.find(({ id }) => id === 'createPet') as DescribedOperation
  const rejection = await send(createPet, '/pets', {}, { name: '' }).catch((error: Error) => error.message)
  expect(rejection).toContain('stoplight.io/prism/errors')
})
