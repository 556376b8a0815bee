import { expect } from 'bun:test'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { open } from '../../harness/browser.ts'
import { testReference } from './open-reference.ts'

const { onNewPage, onSharedPage } = testReference()

onSharedPage(
  'every operation can be tried, except those whose description hides the panel',
  async ({ operation, service }) => {
    for (const { id, spec } of service.contract.operations()) {
      expect(await operation(id).locator('.try').count()).toBe(spec['x-hideTryItPanel'] === true ? 0 : 1)
    }
    expect(await operation('listOrders').locator('form, input, textarea, .try').count()).toBe(0)
    expect(await operation('placeOrder').locator('.try').isVisible()).toBe(true)
    expect(await operation('getOrder').locator('.try').isVisible()).toBe(true)
  },
)

onNewPage(
  'the key is entered once, a pet is created, and the response shows 201 and the limits',
  async ({ page, operation, service }) => {
    const limits = { perMinute: 10_000, perDay: 10_000_000 }
    const client = await service.newClient({ plan: 'enterprise', limits, preset: 'staff' })
    await page.fill('#key', client.secret as string)
    await page.click('#key-form button[type=submit]')
    await page.getByText('Valid. Plan enterprise').waitFor()

    const create = operation('createPet').locator('.try')
    await create.locator('summary').first().click()
    await create.locator('textarea').fill('{"name":"Made in the browser","categoryId":1}')
    await create.getByRole('button', { name: 'Send' }).click()
    await create.locator('.response').waitFor()
    expect(await create.locator('.response-status').innerText()).toContain('201 Created')
    const shown = await create.locator('.limits').innerText()
    expect(shown).toMatch(/X-RateLimit-Limit\s+10000\s/)
    expect(shown).toMatch(/X-RateLimit-Remaining\s+9999\s/)
    const [, reset = '', time] = /X-RateLimit-Reset\s+(\d{10}) \((.+)\)/.exec(shown) ?? []
    expect(time).toBe(await page.evaluate((seconds) => new Date(seconds * 1000).toLocaleTimeString(), Number(reset)))
    expect(await create.locator('.response-body pre').innerText()).toContain('"name": "Made in the browser"')
    expect(await create.locator('.response details').innerText()).toContain('All headers')
    const found = await service.admin.get('/pets?q=made+in+the+browser')
    expect(found.body).toHaveLength(1)

    const list = operation('listPets').locator('.try')
    await list.locator('summary').first().click()
    await list.getByLabel('sold').check()
    await list.getByLabel('pending').check()
    await list.getByLabel('sort').selectOption('-name')
    await list.getByRole('button', { name: 'Send' }).click()
    await list.locator('.response').waitFor()
    expect(await list.locator('.response-status').innerText()).toContain('200 OK')
    const shownRequest = await list.locator('.response pre').first().innerText()
    expect(shownRequest).toStartWith('GET /pets?status=pending&status=sold&sort=-name\n')
    const responded = JSON.parse(await list.locator('.response-body pre').innerText()) as { status: string }[]
    expect(new Set(responded.map(({ status }) => status))).toEqual(new Set(['pending', 'sold']))
  },
)

onNewPage('the key outlives a reload, but not the tab', async ({ page, service }) => {
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

onNewPage(
  'a rejection is shown like any other response, and leads to what it means',
  async ({ page, operation, service }) => {
    await page.fill('#key', newSecret())
    const profile = operation('getPetProfile').locator('.try')
    await profile.locator('summary').first().click()
    await profile.getByRole('button', { name: 'Send' }).click()
    await profile.locator('.response').waitFor()
    expect(await profile.locator('.response-status').innerText()).toContain('401')
    expect(await profile.locator('.response-body pre').innerText()).toContain('invalid_api_key')
    await profile.locator('.response-body a').click()
    await page.waitForURL(`${service.url}/errors#invalid_api_key`)
  },
)

onNewPage(
  'without a key the form asks for one, wherever it is, and then goes on',
  async ({ page, operation, service }) => {
    const usage = operation('getLimits').locator('.try')
    await usage.locator('summary').first().click()
    await usage.getByRole('button', { name: 'Send' }).click()
    expect(await page.evaluate('document.activeElement.id')).toBe('key')
    expect(await page.locator('#key-note').innerText()).toContain('needs a key')
    await page.keyboard.type(service.adminSecret)
    await page.keyboard.press('Enter')
    await usage.locator('.response').waitFor()
    expect(await usage.locator('.response-status').innerText()).toContain('200 OK')
  },
)

onNewPage('one that is sent with the key and not from its field is not sent again either', async (opened) => {
  const { page, operation, service } = opened
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') sent++
  })
  const create = operation('createCategory').locator('.try')
  await create.locator('summary').first().click()
  await create.locator('textarea').fill('{"name":"Made once"}')
  await create.getByRole('button', { name: 'Send' }).click()
  await page.keyboard.type(service.adminSecret)
  await create.getByRole('button', { name: 'Send' }).click()
  await create.getByText('201 Created').waitFor()
  await page.press('#key', 'Enter')
  await page.locator('#key-note').getByText('Valid').waitFor()
  expect(sent).toBe(1)
})

onNewPage('a request that waited for a key is sent once', async ({ page, operation, service }) => {
  let sent = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/pets') sent++
  })
  const list = operation('listPets').locator('.try')
  await list.locator('summary').first().click()
  await list.getByRole('button', { name: 'Send' }).click()
  await page.keyboard.type(service.adminSecret)
  await page.keyboard.press('Enter')
  await list.locator('.response').waitFor()
  const checked = page.waitForResponse(/\/limits$/)
  await page.press('#key', 'Enter')
  await checked
  expect(sent).toBe(1)
})

onNewPage('whatever is typed as a path parameter stays one', async ({ page, operation, service }) => {
  await page.fill('#key', service.adminSecret)
  const profile = operation('getPetProfile').locator('.try')
  await profile.locator('summary').first().click()
  await profile.getByLabel('petId').fill('a/b ?c#d')
  const asked = page.waitForRequest(/\/pets\//)
  await profile.getByRole('button', { name: 'Send' }).click()
  expect(new URL((await asked).url()).pathname).toBe('/pets/a%2Fb%20%3Fc%23d/profile')
})

onNewPage('a conflict is shown with its code; a DELETE asks first', async ({ page, operation, service }) => {
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
  expect(await remove.locator('.response-status').innerText()).toBe('')

  await remove.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send DELETE' }).click()
  await remove.locator('.response').waitFor()
  expect(await remove.locator('.response-status').innerText()).toContain('409 Conflict')
  expect(await remove.locator('.response-body pre').innerText()).toContain('pet_has_open_orders')
})

onNewPage('what was created and the next page are one click away', async ({ page, operation, service }) => {
  await page.fill('#key', service.adminSecret)
  const create = operation('createCategory').locator('.try')
  await create.locator('summary').first().click()
  await create.locator('textarea').fill('{"name":"Followed"}')
  await create.getByRole('button', { name: 'Send' }).click()
  await create.getByRole('button', { name: 'Location' }).click()
  await create.getByText('200 OK').waitFor()
  expect(await create.locator('.response pre').first().innerText()).toMatch(/^GET \/categories\/\d+\n/)
  expect(await create.locator('.response-body pre').innerText()).toContain('"name": "Followed"')

  const list = operation('listPets').locator('.try')
  await list.locator('summary').first().click()
  await list.getByLabel('limit').fill('2')
  await list.getByRole('button', { name: 'Send' }).click()
  await list.getByRole('button', { name: 'Next page' }).click()
  await list.getByText('cursor=').first().waitFor()
  expect(JSON.parse(await list.locator('.response-body pre').innerText())).toHaveLength(2)
})

onNewPage('a stream is shown as it comes, until it is stopped', async ({ page, operation, service }) => {
  await page.fill('#key', service.adminSecret)
  const stream = operation('streamEvents').locator('.try')
  await stream.locator('summary').first().click()
  await stream.getByRole('button', { name: 'Send' }).click()
  await stream.getByText('200 OK').waitFor()
  const shown = stream.locator('.response-body pre')
  for (const name of ['First in the stream', 'Second in the stream']) {
    await service.admin.post('/categories', { name })
    await shown.getByText(name).waitFor()
  }
  await stream.getByRole('button', { name: 'Stop' }).click()
  await stream.getByText('stopped').waitFor()
  expect(await stream.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
})
