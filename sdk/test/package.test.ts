import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { inChromium, theBrowser } from '../../server/test/harness/browser.ts'
import { startService } from '../../server/test/harness/service.ts'
import { installPackage } from './installed.ts'

// The package as published, installed once, and the same trip through the shop on every platform, against a real service.

const [service, project] = await Promise.all([startService(), installPackage()])
afterAll(async () => {
  await service.stop()
  project.remove()
})
const tsc = join(import.meta.dir, '../../node_modules/.bin/tsc')
const published = join(project.path, 'node_modules/@petstore/sdk')

const write = (name: string, text: string) => writeFileSync(join(project.path, name), text)
await Bun.build({ entrypoints: [join(import.meta.dir, 'trip.ts')], outdir: project.path, target: 'browser' })
const takeTrip = `trip(sdk, petFiles, '${service.url}', '${service.adminSecret}').then((result) => console.log(JSON.stringify(result)))`
write(
  'main.js',
  `import * as sdk from '@petstore/sdk'
   import * as petFiles from '@petstore/sdk/pet-files'
   import { trip } from './trip.js'
   ${takeTrip}`,
)
write(
  'main.cjs',
  `const sdk = require('@petstore/sdk')
   const petFiles = require('@petstore/sdk/pet-files')
   import('./trip.js').then(({ trip }) => ${takeTrip})`,
)

const expected = {
  names: ['Ace', 'Bo', 'Cy'],
  quantity: 1,
  rejection: 'pet_not_available',
  status: 'pending',
  hasTag: true,
  limited: 10_000,
  deprecated: ['GET /pets/{petId}'],
  followed: 'order.placed',
  imported: 1,
  rejected: [3],
  abort: 'no more',
  webhook: { test: 2432232314 },
}

const platforms: [string, string[]][] = [
  ['on Node, imported', ['node', '--enable-source-maps', 'main.js']],
  ['on Node, required', ['node', 'main.cjs']],
  ['on Bun, imported', [process.execPath, 'main.js']],
  ['on Bun, required', [process.execPath, 'main.cjs']],
]
// If Deno is installed.
if (Bun.which('deno') !== null) platforms.push(['on Deno', ['deno', 'run', '--allow-net=127.0.0.1', 'main.js']])

test.each(platforms)('%s', async (_, words) => {
  expect(JSON.parse(await project.run(...words))).toEqual(expected)
})

test.each([
  ['Node', 'node'],
  ['Bun', process.execPath],
])('%s prints the items of a list that was awaited', async (runtime, program) => {
  const name = `Printed by ${runtime}`
  const id = await service.admin.newCategory(name)
  write(
    'print.js',
    `import { PetStore } from '@petstore/sdk'
     const petstore = new PetStore({ baseUrl: '${service.url}', apiKey: '${service.adminSecret}' })
     console.log(await petstore.categories.list({ q: '${name}' }))`,
  )
  const printed = (await project.run(program, 'print.js')).replaceAll(/\s+/g, ' ').replaceAll('"', "'")
  expect(printed).toStartWith(`FirstPage { items: [ { id: ${id}, name: '${name}'`)
})

test('required, it is CommonJS, which Node 20.0 needs; a stack trace leads to the sources', async () => {
  const script = `const { PetStore } = require('@petstore/sdk')
    const loaded = Object.keys(require.cache).find((path) => path.endsWith('index.js'))
    try { new PetStore() } catch ({ stack }) { console.log(JSON.stringify({ loaded, stack })) }`
  write('stack.cjs', script)
  const { loaded, stack } = JSON.parse(await project.run('node', '--enable-source-maps', 'stack.cjs'))
  expect(loaded).toBe(join(published, 'cjs/index.js'))
  expect(stack).toContain(join(published, 'src/settings.ts'))
})

inChromium('in Chromium, without a bundler, on a page from another origin', async () => {
  const folder = '/node_modules/@petstore/sdk/esm'
  const imports = { '@petstore/sdk': `${folder}/index.js`, '@petstore/sdk/pet-files': `${folder}/pet-files/index.js` }
  const html = `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/main.js"></script>`
  const elsewhere = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === '/') return new Response(html, { headers: { 'Content-Type': 'text/html' } })
      const file = Bun.file(join(project.path, pathname))
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 })
    },
  })
  const page = await (await theBrowser()).newPage()
  try {
    const logged = page.waitForEvent('console', (message) => message.type() === 'log')
    await page.goto(elsewhere.url.href)
    expect(JSON.parse((await logged).text())).toEqual(expected)
    // A full Chromium requests the icon, chromium-headless-shell does not.
    expect((await fetch(new URL('/favicon.ico', elsewhere.url))).status).toBe(404)
  } finally {
    await page.close()
    await elsewhere.stop(true)
  }
})

const typed = `
  import { type Event, type Pet, type Order, PetStore, PetStoreError, verifyWebhook } from '@petstore/sdk'
  import { csv, type PetRecord } from '@petstore/sdk/pet-files'
  const petstore = new PetStore({ baseUrl: 'https://petstore.example.com', apiKey: 'ps_' })
  export const pets: Promise<Pet[]> = petstore.pets.list({ status: 'available', categoryId: [1, 2] }).toArray()
  export const order: Promise<Order> = petstore.store.orders.place({ petId: 1, shipDate: new Date() })
  export const orderId: Promise<number> = order.then(({ id }) => id)
  export const known = (error: unknown) => error instanceof PetStoreError && error.code === 'insufficient_stock'
  export const event: Promise<Event> = verifyWebhook('', {}, 'whsec_')
  export const files: { format: typeof csv; record?: PetRecord } = { format: csv }
  export async function edit() {
    await petstore.pets.update(1, { name: 'Rex' }, { ifMatch: await petstore.pets.profile(1) })
    for await (const pet of petstore.pets.list()) {
      // @ts-expect-error: an item of a list has no tag
      await petstore.pets.update(pet.id, { name: 'Rex' }, { ifMatch: pet })
    }
  }
  // @ts-expect-error: no such status
  petstore.pets.list({ status: 'asleep' })
  // @ts-expect-error: no such field
  petstore.pets.create({ name: 'Rex', categoryId: 1, colour: 'brown' })
  // @ts-expect-error: no such code
  export const unknown = (error: PetStoreError) => error.code === 'out_of_hay'
`

/** Each line is wrong, so the compiler says what its type is called. */
const misused = `
  import { PetStore, verifyWebhook } from '@petstore/sdk'
  const petstore = new PetStore()
  export const list: 0 = petstore.pets.list
  export const profile: 0 = petstore.pets.profile(1)
  export const order: 0 = petstore.store.orders.get(1)
  export const created: 0 = petstore.keys.create
  export const event: 0 = verifyWebhook('', {}, '')
`
const shownTypes = [
  '(query?: ListPetsQuery | undefined, options?: CallOptions | undefined) => List<Pet>',
  'Promise<Tagged<PetProfile>>',
  'Promise<Tagged<Order>>',
  '(key: NewApiKey, options?: PostOptions | undefined) => Promise<Tagged<ApiKeyWithSecret>>',
  'Promise<Event>',
]

test('editors show the names of types, not their content', async () => {
  write('misused.mts', misused)
  const compilerOptions = { strict: true, module: 'nodenext', noEmit: true, types: [] }
  write('misused.json', JSON.stringify({ compilerOptions, files: ['misused.mts'] }))
  const faults = await project.run(tsc, '-p', 'misused.json').catch(String)
  expect([...faults.matchAll(/error TS2322: Type '(.+)' is not assignable/g)].map(([, shown]) => shown)).toEqual(
    shownTypes,
  )
})

test('the types check arguments and results under strict flags, as NodeNext, Node16 CommonJS and Bundler', async () => {
  write('typed.mts', typed)
  write('typed.cts', typed)
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] }
  const platform = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] }
  const modes = {
    // Checks the types of the package themselves, too, in both formats.
    nodenext: { options: { module: 'nodenext', skipLibCheck: false }, files: ['typed.mts', 'typed.cts'] },
    node16: { options: { module: 'node16', skipLibCheck: true }, files: ['typed.cts'] },
    bundler: { options: { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true }, files: ['typed.mts'] },
  }
  await Promise.all(
    Object.entries(modes).map(([name, { options, files }]) => {
      write(`${name}.json`, JSON.stringify({ compilerOptions: { ...strict, ...platform, ...options }, files }))
      return project.run(tsc, '-p', `${name}.json`)
    }),
  )
})

test('attw finds nothing wrong with the types, and publint nothing with the package', async () => {
  const tarball = new Uint8Array(readFileSync(project.tarball))
  const result = await checkPackage(createPackageFromTarballData(tarball))
  expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] })
  const { messages } = await publint({ pkgDir: published, pack: false, strict: true })
  expect(messages).toEqual([])
})

test('the whole SDK is under 12 kB, minified and compressed', async () => {
  const entry = join(published, 'esm/index.js')
  const whole = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm', minify: true })
  expect(Bun.gzipSync((await whole.outputs[0]?.text()) as string).byteLength).toBeLessThan(12_000)
})

test('nothing of a platform is imported: the sources import only each other', () => {
  const folder = join(published, 'src')
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'))
  const imported = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?: from |import\(?)'([^']+)'/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(imported.length).toBeGreaterThan(50)
  expect(imported.filter((name) => !/^\.\.?\//.test(name))).toEqual([])
})
