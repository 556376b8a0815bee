import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readConfig } from '../../../../src/config.ts'
import { newSecret } from '../../../../src/platform/keys/secret.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { createLog } from '../../../../src/platform/telemetry/log.ts'
import { petShop } from '../../../../src/shop/index.ts'
import { start } from '../../../../src/start.ts'
import { onFreePort } from '../../../harness/run/free-port.ts'
import { descriptionFile, folderOf, generators } from './generators.ts'
import { namesOfPets, petsOnPage, type Trip } from './trip.ts'

// What client developers use: a client generated from the served description.

const directory = mkdtempSync(join(tmpdir(), 'petstore-clients-'))
const apiKey = newSecret()
const settings = {
  DATABASE_URL: `sqlite:${join(directory, 'petstore.db')}`,
  ADMIN_API_KEY: apiKey,
  SAMPLE_DATA: 'false',
}
const clock = systemClock()
const log = createLog('silent', () => undefined, clock.now)
// The description that it serves has the port.
const service = await onFreePort((port) => start(petShop, readConfig({ ...settings, PORT: String(port) }), clock, log))
const baseUrl = `http://127.0.0.1:${service.port}`
afterAll(async () => {
  await service.stop()
  rmSync(directory, { recursive: true })
})

rmSync(dirname(descriptionFile), { recursive: true, force: true })
for (const { name } of generators) mkdirSync(folderOf(name), { recursive: true })
writeFileSync(descriptionFile, await (await fetch(`${baseUrl}/openapi.json`)).text())

/** Runs a program; if it fails, the error contains its output. */
async function run(words: readonly string[]): Promise<void> {
  const child = Bun.spawn([...words], { cwd: import.meta.dir, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (exitCode !== 0) throw new Error(`${words.join(' ')}\n${output}${errors}`)
}

/** Compiles the generated code together with the trip that uses it, with our strict flags. */
async function compile(name: string, without: Readonly<Record<string, false>>): Promise<void> {
  const project = {
    extends: '../../tsconfig.json',
    compilerOptions: without,
    include: ['.', `../../trips/${name}.ts`],
  }
  writeFileSync(join(folderOf(name), 'tsconfig.json'), JSON.stringify(project))
  await run([join(import.meta.dir, '../../../../../node_modules/.bin/tsc'), '-p', folderOf(name)])
}

test.each(generators)(
  'a client made by $name compiles strictly and goes through the shop',
  async ({ name, command, without = {}, hidesHeaders = false }) => {
    // On Bun, because some of them need a newer Node than the service does.
    await run([process.execPath, '--bun', ...command])
    await compile(name, without)

    const { trip } = (await import(`./trips/${name}.ts`)) as { trip: Trip }
    const { orderId, pages, rejection } = await trip(baseUrl, apiKey)
    expect(pages.flat()).toEqual([...namesOfPets])
    expect(pages).toHaveLength(hidesHeaders ? 1 : Math.ceil(namesOfPets.length / petsOnPage))
    expect(rejection).toStartWith('Too many. Bo (pet')
    const order = await fetch(`${baseUrl}/store/orders/${orderId}`, { headers: { 'X-API-Key': apiKey } })
    expect(await order.json()).toMatchObject({ quantity: 1, shipDate: '2027-01-31T12:00:00.000Z' })
  },
)
