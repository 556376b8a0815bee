import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { errorCatalogue } from '../../src/http/errors.ts'
import { type Client, type Service, startService } from '../harness.ts'
import { expectBalance } from './ledger.ts'
import { Model } from './model.ts'
import { type Names, orderOf } from './model-play.ts'
import { playOf, type Step, steps } from './model-steps.ts'
import { everyPage } from './pages.ts'

// MODEL_SEED repeats a run; MODEL_RUNS and MODEL_STEPS lengthen it.
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31))
const runs = Number(process.env.MODEL_RUNS ?? 300)
const stepsLeast = Number(process.env.MODEL_STEPS ?? 50)
const lanes = 4
const unknownId = 9_007_199_254_740_991

let service: Service
let staff: Client
beforeAll(async () => {
  service = await startService()
  staff = await service.newClient({ preset: 'staff' })
})
afterAll(() => service.stop())

/** Plays one sequence with keys, categories, pets and orders of its own, and compares every answer. */
async function play(sequence: Step[]): Promise<void> {
  service.clock.advance(60_000)
  const clients = [await service.newClient(), await service.newClient(), staff]
  const model = new Model()
  const made = { category: [] as number[], pet: [] as number[], order: [] as number[] }
  const pick = (ids: number[], index: number) => ids[index % (ids.length + 1)] ?? unknownId

  for (const step of sequence) {
    const { by, request, expected } = playOf(step.kind)
    const client = by === 'staff' ? staff : (clients[step.who] as Client)
    const names: Names = {
      categoryId: pick(made.category, step.category),
      petId: pick(made.pet, step.pet),
      orderId: pick(made.order, step.order),
      keyId: client.keyId,
      owner: client === staff ? undefined : client.keyId,
    }
    const hadStock = model.pets.get(names.petId)?.stock !== undefined
    const { status, body } = await client.send(...request(step, names))
    const outcome = expected(model, step, names, body?.id)
    if (typeof outcome === 'string') {
      expect({ step, code: body?.code, status }).toEqual({ step, code: outcome, status: statusOf(outcome) })
      continue
    }
    const creates = /^(create|place)/.test(step.kind) || (step.kind === 'setStock' && !hadStock)
    const wanted = outcome === undefined ? 204 : creates ? 201 : 200
    expect({ step, status, body }).toEqual({ step, status: wanted, body: outcome?.body })
    if (step.kind === 'createCategory') made.category.push(body.id)
    if (step.kind === 'createPet') made.pet.push(body.id)
    if (step.kind === 'placeOrder') made.order.push(body.id)
  }
  await compareState(model, made, clients)
}

const statusOf = (code: string) => errorCatalogue[code as keyof typeof errorCatalogue].status

/** The whole state, as lists show it, is the model's; and the ledger of every pet adds up. */
async function compareState(model: Model, made: Record<'category' | 'pet' | 'order', number[]>, clients: Client[]) {
  const pets = [...model.pets].map(([id, { name, categoryId, status }]) => ({ id, name, categoryId, status }))
  const stock = [...model.pets]
    .filter(([, pet]) => pet.stock !== undefined)
    .map(([petId, { stock, status }]) => ({ petId, quantity: stock, status }))
  if (made.pet.length > 0) expect(await everyPage<object>(staff, `/pets?ids=${made.pet}&limit=100`)).toEqual(pets)
  const items = await everyPage<{ petId: number }>(staff, '/store/inventory?limit=100')
  expect(items.filter(({ petId }) => made.pet.includes(petId)) as object[]).toEqual(stock)
  for (const client of clients.slice(0, 2)) {
    const own = [...model.orders.keys()].filter((id) => model.order(id, client.keyId)).map((id) => orderOf(model, id))
    expect(await everyPage<object>(client, '/store/orders?limit=100')).toEqual(own)
  }
  for (const id of made.category) {
    expect((await staff.get(`/categories/${id}`)).body?.name).toBe(model.categories.get(id)?.name)
  }
  for (const petId of made.pet) await expectBalance(service, petId)
  // Entries of this run would make the inventory's list longer for all that follow.
  await Promise.all(stock.map(({ petId }) => staff.delete(`/store/inventory/${petId}`)))
}

test(`${runs} random sequences of at least ${stepsLeast} steps do what the model does (seed ${seed})`, async () => {
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      fc.assert(fc.asyncProperty(steps(stepsLeast), play), {
        seed: seed + lane,
        numRuns: Math.ceil(runs / lanes),
        // Shrinking may take longer than a test may run; with the seed given there is somebody who waits for it.
        endOnFailure: process.env.MODEL_SEED === undefined,
      }),
    ),
  )
})
