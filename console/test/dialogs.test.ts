import { afterAll, expect } from 'bun:test'
import type { Locator } from 'playwright-core'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, lengthenTimers, openSignedIn, row } from './harness.ts'

const service = await startService()
const categoryId = await service.admin.newCategory('Dogs')
afterAll(() => service.stop())

const newPets = (names: readonly string[]) =>
  service.admin.post(
    '/pets/batch',
    names.map((name) => ({ name, categoryId })),
  )

/** Clicks twice at the same place, whatever is there the second time. */
async function clickTwice(button: Locator): Promise<void> {
  const box = await button.boundingBox()
  if (!box) throw new Error('The button is not on the screen.')
  await button.page().mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2)
}

inBrowser('the second click of a double click does not reach what is beneath a closed dialog', async () => {
  await newPets(Array.from({ length: 50 }, (_, index) => `Row ${index}`))
  await using opened = await openSignedIn(service, { path: '/pets?q=Row' })
  const { page, faults } = opened
  await row(page, 'Row 49').waitFor()
  const { href } = new URL(page.url())
  // Every dialog is this one component; these two close without and with an action.
  const closed: Record<string, (page: typeof opened.page) => Promise<unknown>> = {
    Cancel: async () => page.getByRole('button', { name: 'Create a pet' }).click(),
    Close: async () => page.keyboard.press('?'),
  }
  for (const [name, open] of Object.entries(closed)) {
    await open(page)
    const button = page.getByRole('dialog').getByRole('button', { name, exact: true })
    await button.waitFor()
    // A link as large as the screen beneath the dialog.
    await page.evaluate(`{
      const link = Object.assign(document.createElement('a'), { href: location.pathname + '/1', id: 'beneath' })
      Object.assign(link.style, { position: 'fixed', inset: '0' })
      document.body.append(link)
    }`)
    await clickTwice(button)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect([name, page.url()]).toEqual([name, href])
    // A later click works as usual.
    await page.locator('#beneath').click()
    await page.waitForURL(`${service.url}/console/pets/1`)
    await page.evaluate('document.getElementById("beneath").remove()')
    await page.goBack()
    await row(page, 'Row 49').waitFor()
  }
  expect(faults()).toEqual([])
})

inBrowser('a double click on the deletion of many deletes all of them, unless it is undone', async () => {
  await newPets(Array.from({ length: 50 }, (_, index) => `Herd ${index}`))
  await using opened = await openSignedIn(service, { path: '/pets?q=Herd' })
  const { page, faults } = opened
  await lengthenTimers(page)
  await page.reload()
  await row(page, 'Herd 49').waitFor()
  const count = async () => (await service.admin.get('/pets?q=Herd&limit=100')).body.length
  const bar = page.getByRole('region', { name: 'Selected pets' })
  const confirm = async () => {
    await bar.getByRole('button', { name: 'Delete', exact: true }).click()
    const button = page.getByRole('dialog').getByRole('button', { name: 'Delete 50 pets' })
    await button.waitFor()
    await clickTwice(button)
    await bar.getByText('Will be deleted').waitFor()
  }
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await confirm()
  expect(new URL(page.url()).pathname).toBe('/console/pets')
  // Every row is struck through, and any Undo is for all of them.
  expect(await page.locator('tr:has([data-pending="deleted"])').count()).toBe(50)
  await row(page, 'Herd 7').first().getByRole('button', { name: 'Undo all' }).click()
  await bar.getByText('50 pets selected').waitFor()
  expect(await page.locator('tr:has([data-pending])').count()).toBe(0)
  expect(await count()).toBe(50)

  await confirm()
  await bar.getByRole('button', { name: 'Undo all' }).click()
  await bar.getByText('50 pets selected').waitFor()

  // Leaving the page drops the deletion, after the browser has asked; leaving the screen sends it.
  await confirm()
  let asked = ''
  page.once('dialog', (dialog) => {
    asked = dialog.type()
    dialog.accept()
  })
  await page.reload()
  await row(page, 'Herd 49').waitFor()
  expect(asked).toBe('beforeunload')
  expect(await count()).toBe(50)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await confirm()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('dialog', { name: 'Delete 50 pets' }).getByText('50 pets deleted.').waitFor()
  expect(await count()).toBe(0)
  expect(faults()).toEqual([])
})
