import { expect } from 'bun:test'
import { open } from '../../harness/browser.ts'
import { testReference } from './open-reference.ts'

const { onNewPage, onSharedPage } = testReference()

onSharedPage(
  'the page sends nothing to other hosts, violates no policy and logs no error',
  async ({ page, faults }) => {
    await page.waitForLoadState('networkidle')
    expect(faults).toEqual([])
  },
)

onSharedPage(
  'the tree shows the groups without operations and every operation under its tag',
  async ({ page, service }) => {
    expect(await page.locator('.tree > li > .group').allTextContents()).toEqual([
      'Basics',
      ...service.contract.description['x-tagGroups'].map((group: { name: string }) => group.name),
    ])
    expect(await page.locator('.tree .group a').count()).toBe(0)
    const catalogue = page.locator('.tree li[data-tag]', { has: page.getByText('Catalogue', { exact: true }) })
    const tagged = service.contract.operations().filter(({ spec }) => spec.tags.includes('Catalogue'))
    expect(await catalogue.locator('li a').count()).toBe(tagged.length)
    expect(await page.locator('.tree [data-find]').count()).toBe(service.contract.operations().length)
    expect(await page.locator('.operation').count()).toBe(service.contract.operations().length)
  },
)

onSharedPage('every mark of the description is visible', async ({ operation, service }) => {
  for (const { id, spec } of service.contract.operations()) {
    const badges = (await operation(id).locator('.badges').textContent()) ?? ''
    expect(badges).toContain(spec['x-required-scope'] ?? 'any valid key')
    for (const stability of ['beta', 'experimental']) {
      expect(badges.includes(stability)).toBe(spec['x-stability'] === stability)
    }
    expect(badges.includes('deprecated')).toBe(spec.deprecated === true)
  }
})

onSharedPage('the deprecated operation shows its sunset date', async ({ operation }) => {
  const notice = operation('getPet').locator('.notice')
  expect(await notice.isVisible()).toBe(true)
  expect(await notice.textContent()).toContain('30 June 2027')
  expect(await notice.locator('time').getAttribute('datetime')).toBe('2027-06-30')
})

onSharedPage('the rate-limit headers are described', async ({ page }) => {
  const text = await page.locator('section[aria-labelledby="headers"]').innerText()
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']) {
    expect(text).toContain(name)
  }
})

const oneLine = (code = '') => code.replace(/\s+/g, ' ')

onNewPage('the samples follow the form, in every language', async ({ page, operation }) => {
  const list = operation('listPets')
  const samples = () => list.locator('.sample pre').allTextContents()
  const before = await samples()
  await list.locator('.try > summary').click()
  await list.getByLabel('available').check()
  await page.locator('#try-listPets-q').fill('it\'s "a" $dog')
  const query = 'status=available&q=it%27s+%22a%22+%24dog'
  const [inShell, withSdk, inPython] = await samples()
  expect(inShell).toContain(`/pets?${query}`)
  expect(oneLine(withSdk)).toContain("petstore.pets.list({ status: 'available', q: 'it\\'s \"a\" $dog', }).firstPage()")
  expect(inPython).toContain(`/pets?${query}`)
  await list.getByLabel('available').uncheck()
  await page.locator('#try-listPets-q').fill('')
  expect(await samples()).toEqual(before)

  const create = operation('createPet')
  await create.locator('.try > summary').click()
  await create.locator('textarea').fill('{"name": "Bess", "categoryId": 3}')
  const [curl, typescript, python] = await create.locator('.sample pre').allTextContents()
  expect(curl).toContain(`-d '{"name":"Bess","categoryId":3}'`)
  expect(oneLine(typescript)).toContain("petstore.pets.create({ name: 'Bess', categoryId: 3, })")
  expect(python).toContain('json.dumps({"name": "Bess", "categoryId": 3})')
})

onNewPage(
  'the language of the samples is remembered on other pages and after a reload',
  async ({ page, operation }) => {
    const visible = () => operation('listPets').locator('.sample pre:visible')
    expect(await visible().textContent()).toStartWith('curl ')
    await operation('listPets').getByRole('button', { name: 'Python' }).click()
    expect(await visible().textContent()).toContain('urlopen(request)')
    expect(await operation('placeOrder').locator('.sample pre:visible').textContent()).toContain('urlopen(request)')
    await page.reload()
    expect(await visible().textContent()).toContain('urlopen(request)')
    expect(await operation('listPets').getByRole('button', { name: 'Python' }).getAttribute('aria-pressed')).toBe(
      'true',
    )
  },
)

onSharedPage('a success is beside the fields, and each error one click away', async ({ page, operation, service }) => {
  const response = operation('placeOrder').locator('.response')
  expect(JSON.parse((await response.locator('pre:visible').textContent()) ?? '')).toHaveProperty('petId')
  await response.getByRole('button', { name: '409' }).click()
  const bodies = (await response.locator('pre:visible').allTextContents()).map((text) => JSON.parse(text))
  expect(bodies.map(({ code, status }) => `${status} ${code}`)).toContain('409 insufficient_stock')
  await response.getByRole('button', { name: '201' }).click()
  expect(await response.locator('pre:visible').textContent()).toContain('"petId"')

  const buttons = service.contract.operations().map(({ spec }) => Object.keys(spec.responses).filter(Number).length)
  expect(await page.locator('[data-status]').count()).toBe(buttons.reduce((sum, count) => sum + count, 0))
})

onNewPage('copy puts the shown text on the clipboard', async ({ page, operation }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const code = operation('createPet').locator('.sample .code:visible')
  await code.getByRole('button', { name: 'Copy' }).click()
  await code.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await code.locator('pre').innerText())
})

onSharedPage('every block of code can be copied', async ({ page }) => {
  expect(await page.locator('pre').count()).toBe(await page.locator('.code > pre + .copy').count())
})

onNewPage('the filter leaves the operations that match', async ({ page, service }) => {
  await page.fill('#filter', 'Store POST')
  const matching = service.contract
    .operations()
    .filter(({ method, path, spec }) =>
      ['store', 'post'].every((word) => `${method} ${path} ${spec.summary}`.toLowerCase().includes(word)),
    )
  expect(await page.locator('.tree [data-find]:visible').count()).toBe(matching.length)
  await page.fill('#filter', 'nothing like this')
  expect(await page.getByText('No operation matches.').isVisible()).toBe(true)
  await page.fill('#filter', '')
  expect(await page.locator('.tree [data-find]:visible').count()).toBe(service.contract.operations().length)
  expect(await page.getByText('Common errors').first().isVisible()).toBe(true)
})

onSharedPage('on a phone the contents open, lead to an operation and close', async ({ service }) => {
  const phone = await open(`${service.url}/docs`, { width: 390 })
  expect(await phone.page.locator('#contents').isVisible()).toBe(false)
  await phone.page.getByRole('link', { name: 'Contents', exact: true }).click()
  await phone.page.locator('#contents').getByText('Place an order').click()
  await phone.page.locator('#contents').waitFor({ state: 'hidden' })
  await phone.page.locator('#placeOrder').waitFor()
  expect(phone.faults).toEqual([])
  await phone.close()
})

onNewPage('a load fills in what is near; an address, time and printing fill in the rest', async ({ page, service }) => {
  const waiting = page.locator('.operation noscript')
  const elements = () => page.evaluate("document.querySelectorAll('*').length")
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.goto(`${service.url}/docs?stopped`)
  expect(await waiting.count()).toBeGreaterThan(50)
  expect(await elements()).toBeLessThan(5_000)

  // A field of an operation that is not there yet: linked, found and marked.
  await page.evaluate("location.hash = '#placeOrder.body.petId'")
  await page.locator('[id="placeOrder.body.petId"]:target').waitFor({ state: 'visible' })
  expect(await waiting.count()).toBeGreaterThan(50)

  await page.clock.runFor(60_000)
  await waiting.first().waitFor({ state: 'detached' })
  await page.goto(`${service.url}/docs?printed`)
  expect(await waiting.count()).toBeGreaterThan(50)
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  expect(await waiting.count()).toBe(0)
})
