import { afterAll, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { archive } from '../../src/commands/archive.ts'
import { dayMs } from '../../src/platform/lib/time.ts'
import { petShop } from '../../src/shop/index.ts'
import { everyPage } from '../harness/every-page.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Client, type Service, startService } from '../harness/service.ts'
import { expectBalance } from '../shop/pets/movements.ts'
import { archiveOrders, type Caller, ordersOf, Rejected, type Shop } from './model.ts'
import { type NamedStep, operations, type Request } from './operations.ts'
import { type Step, sequences, type Which } from './steps.ts'
import { showCategory, showInventoryItem, showOrder, showPet } from './views.ts'

// Random sequences of requests, sent to the service and run by the model. Every response must match the model's, and so must
// the final state. MODEL_SEED repeats a run, MODEL_SHRINK=1 then searches for the shortest failing sequence; MODEL_RUNS and
// MODEL_STEPS make a run longer.

/** With each of 30 seeds, every kind of response occurred within 46 sequences, so this many never miss one. */
const runsForAll = 150
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31))
/** PostgreSQL runs only the first of the sequences that SQLite runs: a step takes three times as long. */
const runs = Number(process.env.MODEL_RUNS ?? (process.env.TEST_ENGINE === 'postgres' ? 40 : runsForAll))
const stepsLeast = Number(process.env.MODEL_STEPS ?? 50)
const lanes = 4
/** A step takes about a millisecond; a busy machine may take longer. */
const timeoutMs = runs * stepsLeast * 50
const unknownId = 9_007_199_254_740_991

/** Every kind of response that some step had. */
const seen = new Set<string>()

/** A service, and what is done before some of the steps. */
interface Stage {
  readonly service: Service
  readonly staff: Client
  readonly beforeStep?: (index: number, shop: Shop) => Promise<void>
}

const services: Service[] = []
afterAll(() => Promise.all(services.map((service) => service.stop())))
async function openStage(): Promise<Stage> {
  const service = await startService()
  services.push(service)
  return { service, staff: await service.newClient({ preset: 'staff' }) }
}

/** The ids of everything a sequence created, including what was deleted. */
interface Made {
  readonly categoryIds: number[]
  readonly petIds: number[]
  readonly orderIds: number[]
}

/** Where the ids of created resources are stored, by operation. */
const listOfMade: Partial<Record<Step['kind'], keyof Made>> = {
  createCategory: 'categoryIds',
  createPet: 'petIds',
  placeOrder: 'orderIds',
}

/** Runs one sequence with separate keys, categories, pets and orders, and compares every response. */
async function play({ service, staff, beforeStep }: Stage, sequence: Step[]): Promise<void> {
  service.clock.advance(60_000)
  const clients = [await service.newClient(), await service.newClient(), staff]
  const shop: Shop = { categories: [], pets: [], orders: [] }
  const made: Made = { categoryIds: [], petIds: [], orderIds: [] }

  for (const [index, step] of sequence.entries()) {
    await beforeStep?.(index, shop)
    const operation = operations[step.kind]
    const named = withIds(step, shop, made)
    const client = operation.sentBy === 'staff' ? staff : (clients[step.caller] as Client)
    const request: Request = operation.request(named)
    const { status, body } = await client.send(request.method, request.path, request.body)

    const expected = responseOfTheModel(shop, callerOf(client, staff), named, body?.id)
    const responded = status < 400 ? { status, body: ownPart(step, body, made) } : { status, code: body.code }
    seen.add(`${step.kind}: ${body?.code ?? 'done'}`)
    expect({ step, ...responded }).toEqual({ step, ...expected })

    const list = listOfMade[step.kind]
    if (list !== undefined && status === 201) made[list].push(body.id)
  }
  await compareEverything(service, staff, shop, made, clients.slice(0, 2))
  await removeEntries(staff, shop)
}

function withIds(step: Step, shop: Shop, made: Made): NamedStep {
  return {
    ...step,
    categoryId: idOf(step.category, shop.categories, made.categoryIds),
    petId: idOf(step.pet, shop.pets, made.petIds),
    orderId: idOf(step.order, shop.orders, made.orderIds),
  }
}

function idOf({ of, index }: Which, there: readonly { id: number }[], everMade: readonly number[]): number {
  const ids = { there: there.map(({ id }) => id), 'ever made': everMade, 'never was': [] }[of]
  return ids[index % ids.length] ?? unknownId
}

const callerOf = (client: Client, staff: Client): Caller => ({ keyId: client.keyId, seesEveryOrder: client === staff })

/** The model's result: a success with its body, or a rejection with its code. */
function responseOfTheModel(shop: Shop, caller: Caller, step: NamedStep, newId: number) {
  try {
    return operations[step.kind].response({ shop, caller, step, newId })
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    return { status: petShop.errors.find(({ code }) => code === error.code)?.status ?? 0, code: error.code }
  }
}

/** Categories and stock are shared: from such a list, keep only what this sequence created. */
function ownPart({ kind }: Step, body: unknown, { categoryIds, petIds }: Made): unknown {
  if (kind === 'listCategories') return (body as { id: number }[]).filter(({ id }) => categoryIds.includes(id))
  if (kind === 'listInventory') return (body as { petId: number }[]).filter(({ petId }) => petIds.includes(petId))
  return body
}

/** Compares all lists with the model, and checks that the stock movements of every pet add up. */
async function compareEverything(
  service: Service,
  staff: Client,
  shop: Shop,
  { categoryIds, petIds }: Made,
  clients: Client[],
): Promise<void> {
  for (const categoryId of categoryIds) {
    const category = shop.categories.find(({ id }) => id === categoryId)
    const { status, body } = await staff.get(`/categories/${categoryId}`)
    if (category === undefined) expect(status).toBe(404)
    else expect(body).toEqual(showCategory(category))
  }
  if (petIds.length > 0) {
    const pets = await everyPage<object>(staff, `/pets?ids=${petIds}&limit=100`)
    expect(pets).toEqual(shop.pets.map((pet) => showPet(shop, pet)))
  }
  const items = await everyPage<{ petId: number }>(staff, '/store/inventory?limit=100')
  expect(items.filter(({ petId }) => petIds.includes(petId))).toEqual(
    shop.pets.filter((pet) => pet.stock !== undefined).map((pet) => showInventoryItem(shop, pet)),
  )
  for (const client of clients) {
    const orders = await everyPage<object>(client, '/store/orders?limit=100')
    expect(orders).toEqual(ordersOf(shop, callerOf(client, staff)).map(showOrder))
  }
  for (const petId of petIds) await expectBalance(service, petId)
}

/** Deletes the sequence's inventory items, which would make the list longer for the next sequences. */
async function removeEntries(staff: Client, { pets }: Shop): Promise<void> {
  const withEntry = pets.filter((pet) => pet.stock !== undefined)
  await Promise.all(withEntry.map(({ id }) => staff.delete(`/store/inventory/${id}`)))
}

test(
  'random sequences of requests do what the model does',
  async () => {
    process.stdout.write(`${runs} sequences of at least ${stepsLeast} steps: MODEL_SEED=${seed}\n`)
    const stage = await openStage()
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) =>
        fc.assert(
          fc.asyncProperty(sequences(stepsLeast), (sequence) => play(stage, sequence)),
          {
            seed: seed + lane,
            numRuns: Math.ceil(runs / lanes),
            // Shrinking takes longer than a test may run.
            endOnFailure: process.env.MODEL_SHRINK === undefined,
          },
        ),
      ),
    )
    // Sequences that never reach a rule prove nothing about it. A short run need not reach them all.
    if (runs >= runsForAll) expect([...seen].sort()).toEqual(everyKindOfResponse())
  },
  timeoutMs,
)

/** One at a time: an archive has the orders of all sequences. */
const archivedRuns = Math.ceil(runs / 10)
const archiveEvery = 15

test(
  'also if old orders are archived between the requests',
  async () => {
    const stage = await openStage()
    using folder = newDirectory()
    async function beforeStep(index: number, shop: Shop): Promise<void> {
      if (index % archiveEvery !== archiveEvery - 1) return
      const { clock, context } = stage.service
      clock.advance(1)
      const before = clock.now()
      const work = { databaseUrl: context.config.databaseUrl, folder: folder.path, onFile: () => undefined }
      const { contradictory } = await archive({ ...work, before, now: before + 90 * dayMs })
      expect(contradictory).toBe(0)
      archiveOrders(shop)
    }
    await fc.assert(
      fc.asyncProperty(sequences(stepsLeast), (sequence) => play({ ...stage, beforeStep }, sequence)),
      { seed, numRuns: archivedRuns, endOnFailure: process.env.MODEL_SHRINK === undefined },
    )
  },
  timeoutMs,
)

function everyKindOfResponse(): string[] {
  const all = Object.entries(operations).flatMap(([kind, { rejections }]) =>
    ['done', ...rejections].map((response) => `${kind}: ${response}`),
  )
  return all.sort()
}
