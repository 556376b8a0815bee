import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, type Nodes, startNodes } from '../../../server/test/harness/nodes.ts'
import { newDirectory, type Scratch } from '../../../server/test/harness/scratch.ts'
import { petAt, writePets } from '../harness/pets-file.ts'
import { petstore, program } from '../harness/petstore.ts'
import { roomyKey } from '../harness/roomy-key.ts'

const petCount = process.env.TORTURE ? 100_000 : 2_000
const categoryCount = 7

let home: Scratch
let shop: Nodes
let key: string
let file: string
beforeEach(async () => {
  home = newDirectory()
  shop = await startNodes(1)
  key = await roomyKey(url(), shop.adminSecret)
  file = join(home.path, 'pets.ndjson')
  await writePets(file, petCount)
})
afterEach(async () => {
  await shop.stop()
  home.remove()
})
const url = () => shop.nodes[0]?.url ?? ''

/** Every pet of the file is in the shop once, in order, with its stock and status. */
async function expectComplete(): Promise<void> {
  const out = join(home.path, 'out.ndjson')
  const { code } = await petstore(['export', out], { env: { PETSTORE_URL: url(), PETSTORE_API_KEY: key } })
  expect(code).toBe(0)
  const lines = readFileSync(out, 'utf8').trimEnd().split('\n').slice(categoryCount)
  expect(lines.length).toBe(petCount)
  expect(lines.findIndex((line, index) => line !== JSON.stringify(petAt(index)))).toBe(-1)
  expect((await call(url(), key, 'GET', '/pets/counts')).body.total).toBe(petCount)
}

/** The memory of the process now, if the system reports it. */
function residentMB(pid: number): number | undefined {
  const path = `/proc/${pid}/status`
  const [, kB] = (existsSync(path) && /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))) || []
  return kB === undefined ? undefined : Number(kB) / 1024
}

function startImport(service: string) {
  return Bun.spawn([...program, 'import', file], {
    env: { PATH: process.env.PATH ?? '', PETSTORE_URL: service, PETSTORE_API_KEY: key },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

test(`${petCount} pets are imported in one run: none is lost, and memory stays flat`, async () => {
  const child = startImport(url())
  const seen: number[] = []
  const watch = setInterval(() => seen.push(residentMB(child.pid) ?? 0), 20)
  const [output, code] = await Promise.all([child.stdout.text(), child.exited])
  clearInterval(watch)
  expect([code, output.startsWith(`Imported ${petCount.toLocaleString('en')} pets`)]).toEqual([0, true])
  await expectComplete()
  const steady = seen.filter((megabytes) => megabytes > 0)
  if (process.env.TORTURE && steady.length >= 8) {
    const quarter = Math.floor(steady.length / 4)
    const [early, late] = [Math.max(...steady.slice(0, 2 * quarter)), Math.max(...steady.slice(2 * quarter))]
    process.stdout.write(
      `resident: at most ${early.toFixed(0)} MB in the first half, ${late.toFixed(0)} MB in the second\n`,
    )
    // The second 50,000 lines need no more memory than the first, apart from garbage that is not collected yet.
    expect(late).toBeLessThan(early * 1.25 + 16)
  }
})

test('an import that is killed repeatedly resumes, loses nothing and registers nothing twice', async () => {
  /** When the process is killed: before the service gets a batch, after it is done, before the stock is set. */
  const moments = ['before', 'after', 'stock'] as const
  let moment: (typeof moments)[number] | undefined
  let batchesLeft = 0
  let child: ReturnType<typeof startImport> | undefined
  const kill = () => {
    moment = undefined
    child?.kill('SIGKILL')
  }
  // A proxy between the two kills the import at the exact moment.
  using proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const isBatch = pathname === '/pets/batch' && --batchesLeft <= 0
      const isStock = pathname === '/store/inventory' && request.method === 'PATCH' && batchesLeft <= 0
      if ((isBatch && moment === 'before') || (isStock && moment === 'stock')) kill()
      const response = await fetch(url() + pathname + search, {
        method: request.method,
        headers: request.headers,
        ...(request.method !== 'GET' && { body: await request.text() }),
      })
      const body = await response.text()
      if (isBatch && moment === 'after') kill()
      return new Response(body, { status: response.status, headers: response.headers })
    },
  })
  const service = `http://127.0.0.1:${proxy.port}`
  for (const at of moments) {
    moment = at
    batchesLeft = Math.floor(petCount / 100 / (moments.length + 1))
    child = startImport(service)
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    expect(existsSync(`${file}.progress`)).toBe(true)
  }
  child = startImport(service)
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([code, errors]).toEqual([0, expect.stringMatching(/^Continuing after line \d+\.\n$/)])
  expect(output).toStartWith(`Imported ${petCount.toLocaleString('en')} pets`)
  expect(existsSync(`${file}.progress`)).toBe(false)
  await expectComplete()
})

// An export only reads, so one engine is enough.
test.if(process.env.TEST_ENGINE !== 'postgres')('an export that is killed resumes where it stopped', async () => {
  expect(await startImport(url()).exited).toBe(0)
  let pagesLeft = Math.floor(petCount / 100 / 2)
  let child: ReturnType<typeof Bun.spawn> | undefined
  using proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname === '/pets/profiles' && --pagesLeft === 0) child?.kill('SIGKILL')
      const response = await fetch(url() + pathname + search, { headers: request.headers })
      return new Response(await response.text(), { status: response.status, headers: response.headers })
    },
  })
  const env = { PETSTORE_URL: `http://127.0.0.1:${proxy.port}`, PETSTORE_API_KEY: key }
  const out = join(home.path, 'out.ndjson')
  child = Bun.spawn([...program, 'export', out], { env: { PATH: process.env.PATH ?? '', ...env }, stdout: 'ignore' })
  await child.exited
  expect([child.signalCode, existsSync(out), existsSync(`${out}.part`)]).toEqual(['SIGKILL', false, true])
  const resumed = await petstore(['export', out], { env })
  expect([resumed.code, resumed.errors]).toEqual([0, expect.stringMatching(/^Continuing after \d+ pets\.\n$/)])
  const whole = await petstore(['export'], { env })
  expect(readFileSync(out, 'utf8')).toBe(whole.output)
  expect(existsSync(`${out}.part`) || existsSync(`${out}.progress`)).toBe(false)
})
