import { afterAll, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'

// A tool that reads the description sends its examples in the order of the reference. They use the sample data.

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

test('every example succeeds on a new sample shop, in the order of the reference', async () => {
  const responses: [operation: string, status: number][] = []
  for (const { id, method, path, spec, exampleBody } of service.contract.operations()) {
    const example = (name: string) => spec.parameters.find((each: { name: string }) => each.name === name)?.example
    const examplePath = path.replace(/\{(\w+)\}/g, (_, name: string) => String(example(name)))
    const query = new URLSearchParams()
    for (const parameter of spec.parameters) {
      if (parameter.in === 'query' && parameter.example !== undefined) query.set(parameter.name, `${parameter.example}`)
    }
    const address = query.size === 0 ? examplePath : `${examplePath}?${query}`
    responses.push([id, (await service.admin.send(method, address, exampleBody)).status])
  }
  expect(responses.filter(([, status]) => status >= 300)).toEqual([])
})

test('the example of a stream is a message as described', () => {
  const stream = service.contract.operations().find(({ id }) => id === 'streamEvents')
  service.contract.checkMessage(stream?.spec.responses[200].content['text/event-stream'].example.trim())
})

test('links lead from a created resource to the operations that read, change and delete it', () => {
  const created = service.contract
    .operations()
    .filter(({ spec }) => spec.responses[201]?.headers.Location && spec.responses[200] === undefined)
  for (const { id, spec } of created) {
    const linked = Object.values<{ operationId: string }>(spec.responses[201].links ?? {}).map(
      (link) => link.operationId,
    )
    expect([id, linked.length > 0]).toEqual([id, true])
  }
  const createPet = created.find(({ id }) => id === 'createPet')
  expect(Object.keys(createPet?.spec.responses[201].links)).toEqual([
    'replacePet',
    'updatePet',
    'deletePet',
    'getPetProfile',
  ])
})
