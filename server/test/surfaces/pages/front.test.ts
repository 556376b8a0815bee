import { afterAll, expect } from 'bun:test'
import { inChromium, open } from '../../harness/browser.ts'
import { startService } from '../../harness/service.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inChromium('the home page leads to console and docs, and its call runs', async () => {
  const { page, faults, close } = await open(service.url)
  expect(await page.getByRole('link', { name: 'Open the console' }).getAttribute('href')).toBe('/console')
  expect(await page.getByRole('link', { name: 'Read the docs' }).getAttribute('href')).toBe('/docs')
  expect(await page.getByRole('img', { name: 'The console' }).isVisible()).toBe(true)
  expect(await page.locator('.response').innerText()).toContain('The response, for example')

  await page.getByLabel('Status').selectOption('sold')
  expect(await page.locator('.sample pre:visible').innerText()).toContain('status=sold&limit=3')
  // Without a key it asks for one, and sends the call once it has it.
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('This request needs a key').waitFor()
  await page.keyboard.type(service.adminSecret)
  await page.keyboard.press('Enter')
  await page.locator('.response-body pre').waitFor()
  const pets = JSON.parse(await page.locator('.response-body pre').innerText()) as { status: string }[]
  expect(pets.map(({ status }) => status)).toEqual(['sold', 'sold', 'sold'])
  expect(faults).toEqual([])
  await close()
})

inChromium('the error catalogue has an index, and a filter by code, status and word', async () => {
  const { page, close } = await open(`${service.url}/errors`)
  await page.getByRole('navigation', { name: 'Codes' }).getByRole('link', { name: 'insufficient_stock' }).click()
  expect(new URL(page.url()).hash).toBe('#insufficient_stock')
  const readShown = () => page.locator('.error:visible h3').allTextContents()
  const all = (await readShown()).length
  await page.getByLabel('Filter by code, status or word').fill('429')
  expect((await readShown()).sort()).toEqual(['key_banned', 'quota_exhausted', 'rate_limited'])
  await page.keyboard.press('Control+a')
  await page.keyboard.type('none of them says this')
  expect(await readShown()).toEqual([])
  expect(await page.getByText('No code matches.').isVisible()).toBe(true)
  await page.getByLabel('Filter by code, status or word').fill('')
  expect((await readShown()).length).toBe(all)
  await close()
})

inChromium('the status page shows the last day of the node, by hour', async () => {
  const { page, close } = await open(`${service.url}/status`)
  for (let count = 0; count < 3; count++) await service.admin.get('/pets?limit=1')
  service.clock.advance(2 * 3_600_000)
  await service.admin.get('/pets/999999/profile')
  await page.reload()
  await page.getByText('By hour').click()
  const rows = await page.locator('table tbody tr').allInnerTexts()
  // The newest first. Nothing is known about the time before the start.
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatch(/^14:00\s+1\s+1\s+0$/)
  expect(rows[1]).toMatch(/^13:00\s+0\s+0\s+0$/)
  expect(Number(/^12:00\s+(\d+)/.exec(rows[2] ?? '')?.[1])).toBeGreaterThanOrEqual(3)
  await close()
})

inChromium('light and dark can be switched, and every page and the console remember it', async () => {
  const { page, close } = await open(service.url)
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
  expect(await ground()).toBe('light dark')
  await page.getByRole('button', { name: 'Switch between light and dark colours' }).click()
  expect(await ground()).toBe('dark')
  await page.goto(`${service.url}/console`)
  await page.locator('#key').waitFor()
  expect(await ground()).toBe('dark')
  await page.goto(`${service.url}/errors`)
  await page.getByRole('button', { name: 'Switch between light and dark colours' }).click()
  // What the system wants anyway is not stored: the page follows the system again.
  expect(await ground()).toBe('light dark')
  expect(await page.evaluate("localStorage.getItem('petstore.theme')")).toBe(null)
  await close()
})
