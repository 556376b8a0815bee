import { afterAll, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import {
  curlSample,
  fetchSample,
  javascriptSample,
  languages,
  pythonSample,
} from '../../../src/surfaces/pages/client/samples.client.js'
import { operationsIn, readDocument } from '../../../src/surfaces/pages/reference/document.ts'
import { exampleRequest, readsOf } from '../../../src/surfaces/pages/reference/samples.ts'
import { newDirectory } from '../../harness/scratch.ts'
import { type Service, startService } from '../../harness/service.ts'

// Users copy samples, so each is run unchanged, in the order of the reference, on a new sample shop.

let service: Service | undefined
beforeEach(async () => {
  await service?.stop()
  service = await startService({ env: { SAMPLE_DATA: 'true' } })
})
afterAll(() => service?.stop())

const python = Bun.which('python3')
const node = Bun.which('node')

/** Where JavaScript samples resolve their imports: the SDK as JavaScript, as readers install it. */
async function directoryWithSdk() {
  const directory = newDirectory()
  const sdk = `${directory.path}/node_modules/@petstore/sdk`
  await Bun.build({ entrypoints: [`${import.meta.dir}/../../../../sdk/src/index.ts`], outdir: sdk, target: 'node' })
  writeFileSync(`${sdk}/package.json`, '{ "type": "module", "exports": "./index.js" }')
  return directory
}

/** For each language, a program that runs all samples in turn and names the one that failed: starting a process for each takes longer. */
const runners: Record<string, { suffix: string; runAll: (files: string[]) => string[] | undefined }> = {
  curl: {
    suffix: 'sh',
    runAll: (files) => [
      'sh',
      '-c',
      `curl() { command curl --fail-with-body -sS --max-time 5 "$@"; }
       for sample in "$@"; do . "$sample" || { echo "$sample"; exit 1; }; done`,
      'sh',
      ...files,
    ],
  },
  javascript: {
    suffix: 'mjs',
    runAll: (files) =>
      node
        ? [
            node,
            '--input-type=module',
            '-e',
            `for (const sample of ${JSON.stringify(files)}) await import(sample).catch((error) => { throw new Error(sample, { cause: error }) })`,
          ]
        : undefined,
  },
  python: {
    suffix: 'py',
    runAll: (files) =>
      python
        ? [
            python,
            '-c',
            `import runpy, sys\nfor sample in sys.argv[1:]:\n  print(sample)\n  runpy.run_path(sample)`,
            ...files,
          ]
        : undefined,
  },
}

for (const { id, name, sample } of languages) {
  test(`every ${name} sample does what it says`, async () => {
    using directory = await directoryWithSdk()
    const { url, contract, adminSecret } = service as Service
    const document = readDocument(contract.description)
    const { suffix, runAll } = runners[id] as (typeof runners)[string]
    // A stream never ends by itself: it has a separate test.
    const operations = operationsIn(document).filter((operation) => readsOf(document, operation) !== 'stream')
    const files = operations.map(({ operationId }) => `${directory.path}/${operationId}.${suffix}`)
    const words = runAll(files)
    if (!words) return
    for (const [index, operation] of operations.entries()) {
      await Bun.write(files[index] as string, sample(exampleRequest(document, operation, url)))
    }
    const child = Bun.spawn(words, {
      cwd: directory.path,
      env: { ...process.env, PETSTORE_API_KEY: adminSecret },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, faults, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect({ exitCode, faults: exitCode === 0 ? '' : output + faults }).toEqual({ exitCode: 0, faults: '' })
  })
}

test('a curl sample that is sent again and again has another Idempotency-Key each time, in a plain shell too', async () => {
  const { url, contract } = service as Service
  const document = readDocument(contract.description)
  const placing = operationsIn(document).find(({ operationId }) => operationId === 'placeOrder')
  const request = exampleRequest(document, placing as NonNullable<typeof placing>, url)
  const [, key] = /Idempotency-Key: (.*)"/.exec(curlSample(request)) ?? []
  const loop = `for time in $(seq 100); do echo "${key}"; done`
  const lines = (await Bun.$`sh -c ${loop}`.text()).trim().split('\n')
  // Blanks before a header's value are not part of it.
  const keys = lines.map((line) => line.trim())
  expect(keys.filter((key) => !/^[\x21-\x7e]{1,255}$/.test(key))).toEqual([])
  expect(new Set(keys).size).toBe(100)
})

for (const { id, name, sample } of languages) {
  test.skipIf(id === 'python' && !python)(`the ${name} sample of the stream shows what happens`, async () => {
    using directory = await directoryWithSdk()
    const { url, contract, adminSecret, admin } = service as Service
    const document = readDocument(contract.description)
    const stream = operationsIn(document).find((operation) => readsOf(document, operation) === 'stream')
    if (!stream) throw new Error('no operation streams')
    const code = sample(exampleRequest(document, stream, url))
    const file = `${directory.path}/sample.${id === 'python' ? 'py' : 'mjs'}`
    await Bun.write(file, code)
    const words = {
      curl: ['sh', '-c', `exec ${code}`],
      javascript: [node ?? '', file],
      python: [python ?? '', file],
    }
    const child = Bun.spawn(words[id as keyof typeof words], {
      env: { ...process.env, PETSTORE_API_KEY: adminSecret, PYTHONUNBUFFERED: '1' },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    // The stream starts with new events, and there is no sign that the sample listens: so create events until one is seen.
    const happening = setInterval(() => void admin.post('/categories', { name: 'Streamed' }), 200)
    let seen = ''
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      seen += piece
      if (seen.includes('"name":"Streamed"')) break
    }
    clearInterval(happening)
    child.kill()
    await child.exited
    expect(seen).toContain('"type":"category.created"')
  })
}

// Form input becomes part of code that users run: it must stay a value there.
const nasty = 'it\'s "quoted" $(whoami) `id` \\ end'
const nastyRequest = {
  method: 'PATCH',
  base: 'http://127.0.0.1:1',
  path: '/none',
  params: [],
  query: [],
  headers: [['If-Match', nasty]],
  body: JSON.stringify({ name: nasty }),
  type: 'application/json',
  reads: 'json',
} as const

test('form input stays a value in the shell', () => {
  const { stdout } = Bun.spawnSync(['bash', '-c', `curl() { printf '%s\\n' "$@"; }; ${curlSample(nastyRequest)}`])
  expect(stdout.toString().split('\n')).toContain(`If-Match: ${nasty}`)
  expect(stdout.toString().split('\n')).toContain(nastyRequest.body)
})

test('form input stays a value in JavaScript', async () => {
  const sent: RequestInit[] = []
  const response = { ok: true, json: async () => undefined }
  const fetched = (_: string, options: RequestInit) => {
    sent.push(options)
    return response
  }
  const silent = { log: () => undefined }
  const run = new Function('fetch', 'process', 'console', `return (async () => {${fetchSample(nastyRequest)}})()`)
  await run(fetched, { env: {} }, silent)
  expect(sent[0]?.headers).toMatchObject({ 'If-Match': nasty })
  expect(sent[0]?.body).toBe(nastyRequest.body)
})

test('form input stays a value in an SDK call', async () => {
  const given: unknown[] = []
  const { headers, body } = nastyRequest
  const query = ['q', 'status', 'status'].map((name) => ({ name, value: nasty, bare: false }))
  const call = { call: 'pets.update', isList: false }
  const code = javascriptSample({ ...nastyRequest, headers: [...headers], body, query, params: [nasty], sdk: call })
  const run = new Function(
    'PetStore',
    'process',
    'console',
    `return (async () => {${code.replace(/^import.*/, '')}})()`,
  )
  class PetStore {
    readonly pets = { update: (...values: unknown[]) => given.push(...values) }
  }
  await run(PetStore, { env: {} }, { log: () => undefined })
  expect(given).toEqual([nasty, { name: nasty }, { q: nasty, status: [nasty, nasty] }, { ifMatch: nasty }])
})

test.skipIf(!python)('whatever is typed stays a value in Python', () => {
  const [request] = pythonSample(nastyRequest).split('with urlopen')
  const code = `${request}\nprint(json.dumps([request.get_header("If-match"), json.loads(request.data)]))`
  const { stdout } = Bun.spawnSync([python ?? '', '-c', code], { env: { ...process.env, PETSTORE_API_KEY: 'none' } })
  expect(JSON.parse(stdout.toString())).toEqual([nasty, { name: nasty }])
})
