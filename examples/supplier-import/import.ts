// Imports a supplier's CSV file every hour: registers new pets, and sets the stock of pets that the shop has under the same name.
// import.ts <file or URL> [--once]. Needs PETSTORE_URL and a key with the preset staff in PETSTORE_API_KEY.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { PetStore } from '@petstore/sdk'
import { csv, type FileLine, importRecords, readRecord } from '@petstore/sdk/pet-files'

const everyMs = 60 * 60_000
const [source = '', ...words] = process.argv.slice(2)
const petstore = new PetStore()
const say = (text: string) => process.stdout.write(`${text}\n`)

async function readSource(): Promise<Uint8Array> {
  if (!/^https?:/.test(source)) return readFile(source)
  const response = await fetch(source)
  if (!response.ok) throw new Error(`${source} returned ${response.status}.`)
  return response.bytes()
}

async function importDelivery(): Promise<void> {
  const bytes = await readSource()
  const ids = new Map<string, number>()
  for await (const { name, id } of petstore.pets.list({ limit: 100 })) ids.set(name, id)

  const known = new Map<number, number>()
  const unknown: FileLine[] = []
  for await (const line of csv.read(streamOf([bytes]))) {
    const record = line.fault ?? readRecord(line.value)
    const stock = typeof record === 'object' && 'stock' in record ? record.stock : undefined
    const id = typeof record === 'object' ? ids.get(record.name ?? '') : undefined
    if (id !== undefined && stock !== undefined) known.set(id, stock)
    else unknown.push(line)
  }

  const items = [...known].map(([petId, quantity]) => ({ petId, quantity }))
  while (items.length > 0) await petstore.store.inventory.setMany(items.splice(0, 100))
  // The same file gives the same keys: if this program is killed and started again, no pet is registered twice.
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  const { pets, rejected } = await importRecords(petstore, {
    lines: streamOf(unknown),
    idempotency: `supplier-${digest}`,
    onRejected: ({ line, message }) => say(`line ${line}: ${message}`),
  })
  say(`${known.size} stock counts set, ${pets} pets registered, ${rejected} lines rejected`)
}

async function* streamOf<T>(values: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* values
}

for (;;) {
  // A failed import is tried again in an hour; the SDK has already waited for a service that is restarting.
  await importDelivery().catch((error) => say(`The import failed: ${error.message}`))
  if (words.includes('--once')) break
  await pause(everyMs)
}
