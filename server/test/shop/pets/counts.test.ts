import { afterAll, expect, test } from 'bun:test'
import { addUpCounts } from '../../../src/shop/pets/counts.ts'
import { patiently, writePatiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { waitingForLocks } from '../../harness/waiting-for-locks.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

const counts = async (query = '') => (await api.get(`/pets/counts${query}`)).body
const newPet = async (categoryId: number, status?: string) =>
  (await patiently(() => api.post('/pets', { name: 'Rex', categoryId, status }))).body.id as number

test('counts include every change of a pet immediately, before and after they are added up', async () => {
  const [dogs, cats] = [await api.newCategory('Dogs'), await api.newCategory('Cats')]
  const [rex] = [await newPet(dogs), await newPet(dogs), await newPet(dogs, 'sold'), await newPet(cats)]
  const expected = {
    total: 4,
    byStatus: { available: 3, pending: 0, sold: 1 },
    byCategory: [
      { categoryId: dogs, total: 3 },
      { categoryId: cats, total: 1 },
    ],
  }
  const mine = `?categoryId=${dogs},${cats}`
  expect(await counts(mine)).toEqual(expected)
  await addUpCounts(service.context.db)
  expect(await counts(mine)).toEqual(expected)

  // The last one is ordered, one moves to another category, one is deleted.
  await api.post('/store/orders', { petId: rex })
  expect((await counts(mine)).byStatus).toEqual({ available: 2, pending: 1, sold: 1 })
  await api.patch(`/pets/${rex}`, { categoryId: cats })
  await addUpCounts(service.context.db)
  expect((await counts(mine)).byCategory).toEqual([
    { categoryId: dogs, total: 2 },
    { categoryId: cats, total: 2 },
  ])
  expect(await counts(`?categoryId=${cats}&status=pending&status=sold`)).toEqual({
    total: 1,
    byStatus: { available: 0, pending: 1, sold: 0 },
    byCategory: [{ categoryId: cats, total: 1 }],
  })
})

test('without a filter the totals cover all pets, and a category without pets is not listed', async () => {
  const empty = await api.newCategory('Empty')
  const before = await counts()
  const categoryId = await api.newCategory('Birds')
  const petId = await newPet(categoryId)
  expect((await counts()).total).toBe(before.total + 1)
  await api.delete(`/pets/${petId}`)
  await addUpCounts(service.context.db)
  expect(await counts()).toEqual(before)
  expect(await counts(`?categoryId=${empty}`)).toEqual({
    total: 0,
    byStatus: { available: 0, pending: 0, sold: 0 },
    byCategory: [],
  })
})

test('pets created and deleted while counts are added up are counted once', async () => {
  const categoryId = await api.newCategory('Fish')
  const addUp = () => writePatiently(() => addUpCounts(service.context.db))
  const adding = Array.from({ length: 20 }, addUp)
  const made = await Promise.all(Array.from({ length: 40 }, () => newPet(categoryId)))
  const removing = made.slice(0, 10).map((id) => patiently(() => api.delete(`/pets/${id}`)))
  await Promise.all([...adding, ...removing, addUp()])
  expect((await counts(`?categoryId=${categoryId}`)).total).toBe(30)
  await addUpCounts(waitingForLocks(service.context.db))
  expect((await counts(`?categoryId=${categoryId}`)).total).toBe(30)
  const [rows] = await service.context.db.query<{ notes: number }>('SELECT count(*) AS notes FROM pet_count_changes')
  expect(rows?.notes).toBe(0)
})

test('a category that has lost its last pet is no longer listed, before and after the change is added up', async () => {
  const categoryId = await api.newCategory('Lizards')
  const petId = await newPet(categoryId)
  await addUpCounts(service.context.db)
  await api.delete(`/pets/${petId}`)
  const listed = async () =>
    (await counts()).byCategory.some((each: { categoryId: number }) => each.categoryId === categoryId)
  expect(await listed()).toBeFalse()
  await addUpCounts(service.context.db)
  expect(await listed()).toBeFalse()
})

/** Logs one pet more for each of these categories, like the trigger. */
const logPets = (categories: string) =>
  service.context.db.transaction((tx) =>
    tx.query(`INSERT INTO pet_count_changes (category_id, status, pets) ${categories}`),
  )
const numbers = (from: number, count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})`

test('any number of changes is added up in one run', async () => {
  const { db } = service.context
  const categoryId = await api.newCategory('Ants')
  await logPets(`${numbers(1, 5_200)} SELECT ${categoryId}, 'available', 1 FROM n`)
  await addUpCounts(waitingForLocks(db))
  expect(await db.query('SELECT id FROM pet_count_changes LIMIT 1')).toEqual([])
  expect((await counts(`?categoryId=${categoryId}`)).total).toBe(5_200)
})

test('of many categories the first 1,000 are listed, whether their pets are added up or not', async () => {
  await logPets(`${numbers(1_000_000, 1_400)} SELECT i, 'available', 1 FROM n`)
  const listed = async () => (await counts()).byCategory.length
  expect(await listed()).toBe(1_000)
  await addUpCounts(service.context.db)
  expect(await listed()).toBe(1_000)
  // Categories that no longer have pets take no other category's place.
  await service.context.db.transaction((tx) =>
    tx.query(
      `INSERT INTO pet_counts (category_id, status, pets) ${numbers(500_000, 3_000)} SELECT i, 'sold', 0 FROM n`,
    ),
  )
  expect(await listed()).toBe(1_000)
  await logPets(`${numbers(1_001_395, 5)} SELECT i, 'sold', 1 FROM n`)
  const { byCategory } = await counts('?status=sold')
  expect(byCategory.filter((each: { categoryId: number }) => each.categoryId > 1_000_000)).toEqual([])
})
