import { afterAll, expect } from 'bun:test'
import { startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row } from './harness.ts'

// Markup in stored text is displayed as text everywhere in the console.

const payload = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>{{1}}'

const service = await startService({ clock: testClock(Date.now()) })
const { admin } = service
const { body: category } = await admin.post('/categories', { name: payload, description: payload })
const petId = (await admin.post('/pets', { name: payload, categoryId: category.id })).body.id
await admin.post(`/store/inventory/${petId}/adjustments`, { delta: 2, reason: payload })
await admin.post('/store/orders', { petId })
await admin.post('/webhooks', { url: 'https://shop.example/hooks', events: ['*'], description: payload })
await admin.post('/keys', { name: payload, plan: 'free', preset: 'reader' })
afterAll(() => service.stop())

inBrowser(
  'markup in names, descriptions and reasons is displayed as text on every screen, dialog and message',
  async () => {
    await using opened = await openSignedIn(service)
    const { page, faults } = opened
    const expectText = async (path: string, times: number) => {
      await page.goto(`${service.url}/console${path}`)
      // Below the charts of the overview.
      if (path === '/') await page.getByRole('heading', { name: 'Latest events' }).scrollIntoViewIfNeeded()
      await page
        .locator('main')
        .getByText(payload)
        .nth(times - 1)
        .waitFor({ state: 'attached' })
      expect(await page.locator('main img, main script').count()).toBe(0)
      expect(await page.title()).not.toContain('owned')
    }
    await expectText('/', 1)
    await expectText('/pets', 2)
    await expectText(`/pets/${petId}`, 3)
    await expectText('/categories', 2)
    await expectText('/inventory', 1)
    await expectText('/orders', 1)
    await expectText('/orders/1', 1)
    await expectText('/keys', 1)
    await expectText('/keys/2', 1)
    await expectText('/webhooks/1', 1)
    await expectText('/events?from=never', 3)

    // In forms, choices, search results and messages.
    await page.goto(`${service.url}/console/pets`)
    await page.getByRole('button', { name: `Edit ${payload}` }).click()
    expect(await row(page, 'Save').getByLabel('Name').inputValue()).toBe(payload)
    await row(page, 'Save').getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or run a command' }).fill('onerror')
    await page.getByRole('option').getByText(payload).waitFor()
    // Nothing else has that text.
    expect(await page.getByRole('dialog').getByRole('option').count()).toBe(1)
    expect(await page.getByText('Nothing found').count()).toBe(0)
    await page.keyboard.press('Escape')
    // It has an open order: the rejection names it.
    await page.getByRole('button', { name: `Delete ${payload}` }).click()
    await page.getByRole('region', { name: 'Messages' }).getByText(payload).waitFor()
    await page.goto(`${service.url}/console/pets?q=${encodeURIComponent(payload)}&sort=${encodeURIComponent(payload)}`)
    await page.getByRole('alert').first().waitFor()
    expect(await page.locator('main img, main script, .toasts img').count()).toBe(0)
    expect(await page.title()).not.toContain('owned')
    expect(faults()).toEqual([])
  },
)
