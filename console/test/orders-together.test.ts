import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, lengthenTimers, openSignedIn, passTimeUntil, stopClock } from './harness.ts'

const service = await startService()
afterAll(() => service.stop())

inBrowser(
  'orders are selected and completed or cancelled together, after one question that says what it costs',
  async () => {
    const petId = await service.admin.newPet(9)
    const place = async (more = {}) => (await service.admin.post('/store/orders', { petId, ...more })).body.id as number
    const ids = [await place(), await place(), await place()]
    const done = await place({ complete: true })
    await using opened = await openSignedIn(service, { path: `/orders?petId=${petId}` })
    const { page, faults } = opened
    await lengthenTimers(page)
    await page.reload()
    const { openOrders } = (await service.admin.get('/store/summary')).body
    await page.getByRole('link', { name: `Open ${openOrders}`, exact: true }).waitFor()
    // Only open orders can be selected.
    await page.getByRole('checkbox', { name: `Select order ${ids[0]}` }).waitFor()
    expect(await page.getByRole('checkbox', { name: `Select order ${done}` }).count()).toBe(0)
    const change = async (chosen: readonly (number | undefined)[], button: string, confirm: string) => {
      for (const id of chosen) await page.getByRole('checkbox', { name: `Select order ${id}` }).check()
      await page.getByRole('region', { name: 'Selected orders' }).getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(`Takes ${chosen.length} of your requests`).waitFor()
      await dialog.getByRole('button', { name: confirm }).dblclick()
      await page.getByRole('button', { name: 'Undo all' }).first().waitFor()
    }
    const states = async () =>
      Promise.all(ids.map(async (id) => (await service.admin.get(`/store/orders/${id}`)).body.complete))

    await change(ids.slice(0, 2), 'Complete', 'Complete 2 orders')
    await page.getByRole('region', { name: 'Selected orders' }).getByRole('button', { name: 'Undo all' }).click()
    expect(await states()).toEqual([false, false, false])
    // From here on time passes as usual, and nothing is undone.
    await page.clock.install()
    await change(ids.slice(0, 2), 'Complete', 'Complete 2 orders')
    await page.getByText('2 orders completed').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await states()).toEqual([true, true, false])
    await page.getByRole('link', { name: `Open ${openOrders - 2}`, exact: true }).waitFor()

    await change(ids.slice(2), 'Cancel orders', 'Cancel 1 order')
    await page.getByText('1 order cancelled').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await states()).toEqual([true, true, undefined])
    expect(faults()).toEqual([])
  },
)

inBrowser('all open orders that match are completed, a tenth of the minute is left for the user', async () => {
  const petId = await service.admin.newPet(200)
  for (let count = 0; count < 70; count++) {
    await service.admin.post('/store/orders', { petId, complete: count % 14 === 13 })
    if (count % 30 === 0) service.clock.advance(60_000)
  }
  const staff = await service.newClient({ preset: 'staff', plan: 'free' })
  await using opened = await openSignedIn(service, { path: `/orders?petId=${petId}`, secret: staff.secret })
  const { page } = opened
  /** The requests left in the minute after each change. */
  const left: number[] = []
  page.on('response', (response) => {
    const [, remaining] = /"minute";r=(\d+)/.exec(response.headers().ratelimit ?? '') ?? []
    if (response.request().method() === 'PATCH') left.push(response.ok() ? Number(remaining) : -1)
  })
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByText('46 orders selected').waitFor()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await page.getByText('65 orders selected').waitFor()
  await page.getByRole('region', { name: 'Selected orders' }).getByRole('button', { name: 'Complete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Takes 65 of your requests, about 2 minutes at 54 a minute.').waitFor()
  await stopClock(page)
  await dialog.getByRole('button', { name: 'Complete 65 orders' }).click()
  const result = page.getByText('65 orders completed.')
  await passTimeUntil(page, service, () => result.isVisible())
  expect(left.length).toBeGreaterThanOrEqual(65)
  expect(Math.min(...left)).toBeGreaterThanOrEqual(6)
})

inBrowser('all that match can be selected on the last page too', async () => {
  const petId = await service.admin.newPet(200)
  for (let count = 0; count < 51; count++) await service.admin.post('/store/orders', { petId })
  await using opened = await openSignedIn(service, { path: `/orders?petId=${petId}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('1 shown').waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await page.getByText('51 orders selected').waitFor()
})
