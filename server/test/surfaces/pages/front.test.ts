import { afterAll, expect } from 'bun:test'
import { inChromium, open } from '../../harness/browser.ts'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inChromium('the home page leads to console and docs, and its call runs', async () => {
  const { page, faults, close } = await open(service.url)
  expect(await page.getByRole('link', { name: 'Open the console' }).getAttribute('href')).toBe('/console')
  expect(await page.getByRole('link', { name: 'Read the docs' }).getAttribute('href')).toBe('/docs')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('An API to test your client against')
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

inChromium(
  'the home page shows the console and a report, in the colours of the page, and loads no other form',
  async () => {
    const { page, faults, close } = await open(service.url)
    const loaded = new Set<string>()
    page.on('response', (response) => {
      const [, name] = /assets\/(.+)\.[\w-]+\.png$/.exec(response.url()) ?? []
      if (name && response.ok()) loaded.add(name)
    })
    await page.reload()
    const console = page.getByRole('img', { name: 'The overview of the console' })
    const report = page.getByRole('img', { name: 'The report on a client' })
    const haveLoaded = async (...expected: string[]) => {
      for (const picture of [console, report]) await picture.scrollIntoViewIfNeeded()
      await eventually(() => String([...loaded].toSorted()) === String(expected))
    }
    await haveLoaded('overview-light', 'report-light')
    await page.getByRole('button', { name: 'Switch between light and dark colours' }).click()
    await haveLoaded('overview-dark', 'overview-light', 'report-dark', 'report-light')
    expect(faults).toEqual([])
    await close()
  },
)

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

inChromium('the index of the guides has their titles as links, and what they are about as text', async () => {
  const { page, close } = await open(`${service.url}/docs/guides`)
  const title = page.getByRole('link', { name: 'Quickstart', exact: true })
  const description = page.locator('main dt', { has: title }).locator('+ dd')
  expect((await description.innerText()).length).toBeGreaterThan(10)
  expect(await description.locator('a').count()).toBe(0)
  await page.locator('main dt').locator(title).click()
  await page.getByRole('heading', { level: 1, name: 'Quickstart' }).waitFor()
  await close()
})
