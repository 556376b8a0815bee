import { afterAll, beforeAll, expect, test } from 'bun:test'
import { operationsIn, readDocument } from '../../src/pages/reference/document.ts'
import { curlSample, fetchSample } from '../../src/pages/reference/samples.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ env: { SAMPLE_DATA: 'true' } })
})
afterAll(() => service.stop())

// What a sample names may not exist; that it is well formed and let in is what counts.
const wellFormed = (status: number) => status < 500 && ![400, 401, 405, 406, 415].includes(status)

test('every curl sample is a request the service understands', async () => {
  for (const entry of operationsIn(readDocument(service.contract.description))) {
    const code = `${curlSample(entry, service.url)} -s -o /dev/null -w '%{http_code}' --max-time 2 || true`
    const child = Bun.spawn(['bash', '-c', code], {
      env: { ...process.env, PETSTORE_KEY: service.adminSecret },
      stdout: 'pipe',
    })
    const status = Number(await child.stdout.text())
    expect([entry.operationId, status, wellFormed(status)]).toEqual([entry.operationId, status, true])
    expect(Object.keys(entry.responses)).toContain(String(status))
  }
})

test('every TypeScript sample is a request the service understands', async () => {
  for (const entry of operationsIn(readDocument(service.contract.description))) {
    const statuses: number[] = []
    const watched = async (url: string, options: RequestInit) => {
      const response = await fetch(url, options)
      statuses.push(response.status)
      await response.body?.cancel()
      throw new Error('that is all we want to know')
    }
    const code = new Bun.Transpiler({ loader: 'ts' }).transformSync(
      `export default async () => {${fetchSample(entry, service.url)}}`,
    )
    const sample = new Function(
      'fetch',
      'process',
      `return ${code.replace('export default ', '').replace(/;\s*$/, '')}`,
    )
    await sample(watched, { env: { PETSTORE_KEY: service.adminSecret } })().catch(() => undefined)
    expect([entry.operationId, statuses.map(wellFormed)]).toEqual([entry.operationId, [true]])
  }
})
