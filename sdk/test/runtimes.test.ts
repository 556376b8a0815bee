import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inChromium, theBrowser } from '../../server/test/harness/browser.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { startService } from '../../server/test/harness/service.ts'
import * as sdk from '../src/index.ts'
import { trip } from './trip.ts'

// The same trip through the shop on every platform, against a real service. All but Bun use the published package.

const service = await startService()
const project = newDirectory()
afterAll(async () => {
  await service.stop()
  project.remove()
})

/** Runs a program to its end; if it fails, its output is in the error. */
async function run(...words: string[]): Promise<string> {
  const child = Bun.spawn(words, { cwd: project.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (exitCode !== 0) throw new Error(`${words.join(' ')}\n${output}${errors}`)
  return output
}

// A project with the package installed, and the trip in plain JavaScript.
const published = join(project.path, 'node_modules/@petstore/sdk')
await run(process.execPath, join(import.meta.dir, '../build.ts'), published)
await Bun.build({ entrypoints: [join(import.meta.dir, 'trip.ts')], outdir: project.path, target: 'browser' })
writeFileSync(join(project.path, 'package.json'), '{ "type": "module" }')
writeFileSync(
  join(project.path, 'main.js'),
  `import * as sdk from '@petstore/sdk'
   import { trip } from './trip.js'
   console.log(JSON.stringify(await trip(sdk, '${service.url}', '${service.adminSecret}')))`,
)

const expected = {
  names: ['Ace', 'Bo', 'Cy'],
  quantity: 1,
  refusal: 'pet_not_available',
  status: 'pending',
  hasTag: true,
  limited: 10_000,
  deprecated: ['GET /pets/{petId}'],
  followed: 'order.placed',
  abort: 'no more',
  webhook: { test: 2432232314 },
}

test('on Bun', async () => {
  expect(await trip(sdk, service.url, service.adminSecret)).toEqual(expected)
})

test('on Node', async () => {
  expect(JSON.parse(await run('node', 'main.js'))).toEqual(expected)
})

test('the published pet-files entry works on Node, and shares its classes with the main entry', async () => {
  const script = `
    import { PetStore } from '@petstore/sdk'
    import { csv, importRecords } from '@petstore/sdk/pet-files'
    const petstore = new PetStore({ baseUrl: '${service.url}', apiKey: '${service.adminSecret}' })
    const { id } = await petstore.categories.create({ name: 'Published' })
    async function* file() { yield new TextEncoder().encode('name,categoryId,stock\\nOne,' + id + ',4\\nTwo,999999,1\\n') }
    const refused = []
    const { pets } = await importRecords(petstore, { lines: csv.read(file()), onRefused: ({ line }) => refused.push(line) })
    console.log(JSON.stringify({ pets, refused }))`
  writeFileSync(join(project.path, 'import.js'), script)
  expect(JSON.parse(await run('node', 'import.js'))).toEqual({ pets: 1, refused: [3] })
})

// If installed: neither npm nor Debian has a package of it.
if (Bun.which('deno') !== null) {
  test('on Deno', async () => {
    expect(JSON.parse(await run('deno', 'run', '--allow-net=127.0.0.1', 'main.js'))).toEqual(expected)
  })
}

inChromium('in Chromium, on a page from another origin', async () => {
  const bundle = await Bun.build({ entrypoints: [join(project.path, 'main.js')], target: 'browser', format: 'esm' })
  const script = await bundle.outputs[0]?.text()
  const elsewhere = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(`<script type="module">${script}</script>`, { headers: { 'Content-Type': 'text/html' } }),
  })
  const page = await (await theBrowser()).newPage()
  try {
    const logged = page.waitForEvent('console', (message) => message.type() === 'log')
    await page.goto(elsewhere.url.href)
    expect(JSON.parse((await logged).text())).toEqual(expected)
  } finally {
    await page.close()
    await elsewhere.stop(true)
  }
})

test('the published types check arguments and results, under strict flags', async () => {
  writeFileSync(
    join(project.path, 'main.ts'),
    `import { type Pet, type PlacedOrder, PetStore, PetStoreError } from '@petstore/sdk'
     const petstore = new PetStore({ baseUrl: 'https://petstore.example.com', apiKey: 'ps_' })
     export const pets: Promise<Pet[]> = petstore.pets.list({ status: 'available', categoryId: [1, 2] }).toArray()
     export const order: Promise<PlacedOrder> = petstore.store.orders.place({ petId: 1 })
     export const orderId: Promise<number> = order.then(({ id }) => id)
     export const known = (error: unknown) => error instanceof PetStoreError && error.code === 'insufficient_stock'
     // @ts-expect-error: no such status
     petstore.pets.list({ status: 'asleep' })
     // @ts-expect-error: no such field
     petstore.pets.create({ name: 'Rex', categoryId: 1, colour: 'brown' })
     // @ts-expect-error: no such code
     export const unknown = (error: PetStoreError) => error.code === 'out_of_hay'
    `,
  )
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--skipLibCheck', 'false', '--types', '']
  const platform = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable']
  await run(join(import.meta.dir, '../../node_modules/.bin/tsc'), ...flags, ...platform, 'main.ts')
})

test('the whole SDK is under 12 kB, minified and compressed', async () => {
  const whole = await Bun.build({
    entrypoints: [join(published, 'index.js')],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  expect(Bun.gzipSync((await whole.outputs[0]?.text()) as string).byteLength).toBeLessThan(12_000)
})

test('nothing of a platform is imported: the sources import only each other', () => {
  const folder = join(import.meta.dir, '../src')
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'))
  const imported = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?: from |import\(?)'([^']+)'/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(imported.length).toBeGreaterThan(50)
  expect(imported.filter((name) => !/^\.\.?\//.test(name))).toEqual([])
})
