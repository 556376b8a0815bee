import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { newSecret } from '../../src/keys/secret.ts'
import { inChromium, open, type Watched } from '../harness/browser.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ env: { SAMPLE_DATA: 'true' } })
})
afterAll(async () => {
  await service?.stop()
})

// A test that changes something on the page opens a new tab. Tests that only read share one.
let page: Page
const operation = (id: string) => page.locator(`section[aria-labelledby="${id}"]`)

function onNewPage(name: string, run: () => Promise<void>): void {
  inChromium(name, async () => {
    const own = await open(`${service.url}/docs`)
    page = own.page
    await run()
    await own.close()
  })
}

let shared: Watched | undefined
afterAll(() => shared?.close())

function onSharedPage(name: string, look: (opened: Watched) => Promise<void>): void {
  inChromium(name, async () => {
    shared ??= await open(`${service.url}/docs`)
    page = shared.page
    await look(shared)
  })
}

onSharedPage('the page asks no other host, breaks no policy and writes no error', async ({ faults }) => {
  await page.waitForLoadState('networkidle')
  expect(faults).toEqual([])
})

onSharedPage('the tree shows the groups without operations and every operation under its tag', async () => {
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
})

onSharedPage('every mark of the description is visible', async () => {
  for (const { id, spec } of service.contract.operations()) {
    const badges = await operation(id).locator('.badges').innerText()
    expect(badges).toContain(spec['x-required-scope'] ?? 'any valid key')
    for (const stability of ['beta', 'experimental']) {
      expect(badges.includes(stability)).toBe(spec['x-stability'] === stability)
    }
    expect(badges.includes('deprecated')).toBe(spec.deprecated === true)
  }
})

onSharedPage('the deprecated operation shows its sunset date', async () => {
  const notice = operation('getPet').locator('.notice')
  expect(await notice.isVisible()).toBe(true)
  expect(await notice.innerText()).toContain('30 June 2027')
  expect(await notice.locator('time').getAttribute('datetime')).toBe('2027-06-30')
})

onSharedPage('the rate-limit headers are described', async () => {
  const text = await page.locator('section[aria-labelledby="headers"]').innerText()
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']) {
    expect(text).toContain(name)
  }
})

onSharedPage('every operation can be tried, except those whose description hides the panel', async () => {
  for (const { id, spec } of service.contract.operations()) {
    expect(await operation(id).locator('.try').count()).toBe(spec['x-hideTryItPanel'] === true ? 0 : 1)
  }
  expect(await operation('listOrders').locator('form, input, textarea, .try').count()).toBe(0)
  expect(await operation('placeOrder').locator('.try').isVisible()).toBe(true)
  expect(await operation('getOrder').locator('.try').isVisible()).toBe(true)
})

onNewPage('the key is entered once, a pet is created, and the answer shows 201 and the limits', async () => {
  const limits = { perMinute: 10_000, perDay: 10_000_000 }
  const client = await service.newClient({ plan: 'enterprise', limits, preset: 'staff' })
  await page.fill('#key', client.secret as string)
  await page.click('#key-form button[type=submit]')
  await page.getByText('Valid. Plan enterprise').waitFor()

  const create = operation('createPet').locator('.try')
  await create.locator('summary').first().click()
  await create.locator('textarea').fill('{"name":"Made in the browser","categoryId":1}')
  await create.getByRole('button', { name: 'Send' }).click()
  await create.locator('.answer').waitFor()
  expect(await create.locator('.answer-status').innerText()).toContain('201 Created')
  const shown = await create.locator('.limits').innerText()
  expect(shown).toMatch(/X-RateLimit-Limit\s+10000\s/)
  expect(shown).toMatch(/X-RateLimit-Remaining\s+9999\s/)
  expect(shown).toMatch(/X-RateLimit-Reset\s+\d{10} /)
  expect(await create.locator('.answer-body pre').innerText()).toContain('"name": "Made in the browser"')
  expect(await create.locator('.answer details').innerText()).toContain('All headers')
  const found = await service.admin.get('/pets?q=made+in+the+browser')
  expect(found.body).toHaveLength(1)

  const list = operation('listPets').locator('.try')
  await list.locator('summary').first().click()
  await list.getByLabel('sold').check()
  await list.getByLabel('pending').check()
  await list.getByLabel('sort').selectOption('-name')
  await list.getByRole('button', { name: 'Send' }).click()
  await list.locator('.answer').waitFor()
  expect(await list.locator('.answer-status').innerText()).toContain('200 OK')
  const shownRequest = await list.locator('.answer pre').first().innerText()
  expect(shownRequest).toStartWith('GET /pets?status=pending&status=sold&sort=-name\n')
  const answered = JSON.parse(await list.locator('.answer-body pre').innerText()) as { status: string }[]
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set(['pending', 'sold']))
})

onNewPage('the key outlives a reload, but not the tab', async () => {
  await page.fill('#key', service.adminSecret)
  await page.reload()
  expect(await page.inputValue('#key')).toBe(service.adminSecret)
  expect(await page.evaluate('localStorage.length')).toBe(0)
  expect(await page.evaluate('document.cookie')).toBe('')
  const other = await open(`${service.url}/docs`)
  expect(await other.page.inputValue('#key')).toBe('')
  await other.close()

  await page.getByRole('button', { name: 'Forget' }).click()
  await page.reload()
  expect(await page.inputValue('#key')).toBe('')
})

onNewPage('an answer that refuses is shown like any other, and leads to what it means', async () => {
  await page.fill('#key', newSecret())
  const profile = operation('getPetProfile').locator('.try')
  await profile.locator('summary').first().click()
  await profile.getByRole('button', { name: 'Send' }).click()
  await profile.locator('.answer').waitFor()
  expect(await profile.locator('.answer-status').innerText()).toContain('401')
  expect(await profile.locator('.answer-body pre').innerText()).toContain('invalid_api_key')
  await profile.locator('.answer-body a').click()
  await page.waitForURL(`${service.url}/errors#invalid_api_key`)
})

onNewPage('without a key the form asks for one, wherever it is, and then goes on', async () => {
  const usage = operation('getLimits').locator('.try')
  await usage.locator('summary').first().click()
  await usage.getByRole('button', { name: 'Send' }).click()
  expect(await page.evaluate('document.activeElement.id')).toBe('key')
  expect(await page.locator('#key-note').innerText()).toContain('needs a key')
  await page.keyboard.type(service.adminSecret)
  await page.keyboard.press('Enter')
  await usage.locator('.answer').waitFor()
  expect(await usage.locator('.answer-status').innerText()).toContain('200 OK')
})

onNewPage('a conflict is shown with its code; a DELETE asks first', async () => {
  const petId = await service.admin.newPet()
  await service.admin.post('/store/orders', { petId })
  await page.fill('#key', service.adminSecret)
  const remove = operation('deletePet').locator('.try')
  await remove.locator('summary').first().click()
  await remove.getByLabel('petId').fill(String(petId))

  await remove.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('dialog').getByText(`Send DELETE /pets/${petId}?`).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await remove.locator('.answer-status').innerText()).toBe('')

  await remove.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send DELETE' }).click()
  await remove.locator('.answer').waitFor()
  expect(await remove.locator('.answer-status').innerText()).toContain('409 Conflict')
  expect(await remove.locator('.answer-body pre').innerText()).toContain('pet_has_open_orders')
})

onNewPage('what was created and the next page are one click away', async () => {
  await page.fill('#key', service.adminSecret)
  const create = operation('createCategory').locator('.try')
  await create.locator('summary').first().click()
  await create.locator('textarea').fill('{"name":"Followed"}')
  await create.getByRole('button', { name: 'Send' }).click()
  await create.getByRole('button', { name: 'Location' }).click()
  await create.getByText('200 OK').waitFor()
  expect(await create.locator('.answer pre').first().innerText()).toMatch(/^GET \/categories\/\d+\n/)
  expect(await create.locator('.answer-body pre').innerText()).toContain('"name": "Followed"')

  const list = operation('listPets').locator('.try')
  await list.locator('summary').first().click()
  await list.getByLabel('limit').fill('2')
  await list.getByRole('button', { name: 'Send' }).click()
  await list.getByRole('button', { name: 'Next page' }).click()
  await list.getByText('cursor=').first().waitFor()
  expect(JSON.parse(await list.locator('.answer-body pre').innerText())).toHaveLength(2)
})

const oneLine = (code = '') => code.replace(/\s+/g, ' ')

onNewPage('the samples follow the form, in every language', async () => {
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

onNewPage('the language of the samples is remembered on other pages and after a reload', async () => {
  const visible = () => operation('listPets').locator('.sample pre:visible')
  expect(await visible().innerText()).toStartWith('curl ')
  await operation('listPets').getByRole('button', { name: 'Python' }).click()
  expect(await visible().innerText()).toContain('urlopen(request)')
  expect(await operation('placeOrder').locator('.sample pre:visible').innerText()).toContain('urlopen(request)')
  await page.reload()
  expect(await visible().innerText()).toContain('urlopen(request)')
  expect(await operation('listPets').getByRole('button', { name: 'Python' }).getAttribute('aria-pressed')).toBe('true')
})

onSharedPage('a success is beside the fields, and each error one click away', async () => {
  const response = operation('placeOrder').locator('.response')
  expect(JSON.parse(await response.locator('pre:visible').innerText())).toHaveProperty('petId')
  await response.getByRole('button', { name: '409' }).click()
  const bodies = (await response.locator('pre:visible').allInnerTexts()).map((text) => JSON.parse(text))
  expect(bodies.map(({ code, status }) => `${status} ${code}`)).toContain('409 insufficient_stock')
  await response.getByRole('button', { name: '201' }).click()
  expect(await response.locator('pre:visible').innerText()).toContain('"petId"')

  const buttons = service.contract.operations().map(({ spec }) => Object.keys(spec.responses).filter(Number).length)
  expect(await page.locator('[data-status]').count()).toBe(buttons.reduce((sum, count) => sum + count, 0))
})

onNewPage('copy puts the shown text on the clipboard', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const code = operation('createPet').locator('.sample .code:visible')
  await code.getByRole('button', { name: 'Copy' }).click()
  await code.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await code.locator('pre').innerText())
})

onSharedPage('every block of code can be copied', async () => {
  expect(await page.locator('pre').count()).toBe(await page.locator('.code > pre + .copy').count())
})

onNewPage('a stream is shown as it comes, until it is stopped', async () => {
  await page.fill('#key', service.adminSecret)
  const stream = operation('streamEvents').locator('.try')
  await stream.locator('summary').first().click()
  await stream.getByRole('button', { name: 'Send' }).click()
  await stream.getByText('200 OK').waitFor()
  const shown = stream.locator('.answer-body pre')
  for (const name of ['First in the stream', 'Second in the stream']) {
    await service.admin.post('/categories', { name })
    await shown.getByText(name).waitFor()
  }
  await stream.getByRole('button', { name: 'Stop' }).click()
  await stream.getByText('stopped').waitFor()
  expect(await stream.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
})

onNewPage('the filter leaves the operations that match', async () => {
  await page.fill('#filter', 'store post')
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

inChromium('on a phone the contents open, lead to an operation and close', async () => {
  const phone = await open(`${service.url}/docs`, { width: 390 })
  expect(await phone.page.locator('#contents').isVisible()).toBe(false)
  await phone.page.getByRole('link', { name: 'Contents', exact: true }).click()
  await phone.page.locator('#contents').getByText('Place an order').click()
  expect(await phone.page.locator('#contents').isVisible()).toBe(false)
  expect(await phone.page.locator('#placeOrder').isVisible()).toBe(true)
  expect(phone.faults).toEqual([])
  await phone.close()
})
