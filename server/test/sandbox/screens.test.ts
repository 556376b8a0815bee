import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '../../../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../../src/sandbox/serve.ts'
import { findSeriousFaults } from '../harness/axe.ts'
import { inChromium, open } from '../harness/browser.ts'
import { newDirectory } from '../harness/scratch.ts'

// The screens of sandboxes, as a tester uses them.

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())

/** A shop that has received a few requests. */
async function usedShop(): Promise<Sandbox> {
  const shop = await startSandbox({ host: host.url })
  const petstore = shop.client()
  await petstore.pets.list({ limit: 3 }).firstPage()
  await petstore.store.orders.place({ petId: 23, quantity: 2 }, { idempotencyKey: "it's mine" })
  await petstore.pets.update(1, { name: '<b>Max</b>' })
  return shop
}

const screens = ['', '/requests', '/report', '/clock', '/faults']

inChromium('every screen is accessible, in light and dark, and fits a narrow window', async () => {
  const shop = await usedShop()
  await shop.fail('placeOrder', 'cut_after', { times: 2 })
  const { page, faults, close } = await open(host.url, { width: 390 })
  for (const address of [`${host.url}/`, ...screens.map((path) => `${shop.url}/_sandbox${path}`)]) {
    await page.goto(address)
    expect([address, await findSeriousFaults(page, { inDarkToo: true })]).toEqual([address, []])
    expect([address, await page.evaluate('document.documentElement.scrollWidth > innerWidth')]).toEqual([
      address,
      false,
    ])
    // Nothing of the header is cut off, or hidden behind something else.
    const hidden = await page.evaluate(
      `[...document.querySelectorAll('.site-header :is(a, button)')].filter((each) => each.checkVisibility()).filter((each) => {
        const { x, y, width, height } = each.getBoundingClientRect()
        return !each.contains(document.elementFromPoint(x + width / 2, y + height / 2))
      }).map(({ textContent }) => textContent)`,
    )
    expect([address, hidden]).toEqual([address, []])
  }
  expect(faults).toEqual([])
  await close()
})

inChromium('a request is found, shown and copied as curl; markup in it stays text', async () => {
  const shop = await usedShop()
  const { page, faults, close } = await open(`${shop.url}/_sandbox`)
  await page.goto(`${shop.url}/_sandbox`)
  await page.getByRole('navigation', { name: 'Sandbox' }).getByRole('link', { name: 'Requests' }).click()
  await page.getByLabel('Search', { exact: true }).last().fill("it's mine")
  await page.getByText('1 of 3 requests').waitFor()
  await page.getByText('/store/orders').click()
  const command = await page.locator('details[open] pre').first().textContent()
  expect(command).toContain(`curl -X POST '${shop.url}/store/orders'`)
  const child = Bun.spawn(['bash', '-c', `${command?.replace('curl', 'curl -si')}`], {
    env: { PATH: process.env.PATH ?? '', PETSTORE_API_KEY: shop.apiKey },
    stdout: 'pipe',
  })
  // The same key and body: the shop returns the stored response.
  expect(await child.stdout.text()).toMatch(/idempotent-replayed: true/i)

  await page.goto(`${shop.url}/_sandbox/requests#request-3`)
  await page.locator('details[open] pre').nth(1).getByText('<b>Max</b>').waitFor()
  // Closed and opened again, it is shown once.
  const shown = await page.locator('details[open] pre').count()
  const title = page.locator('details[open] summary').first()
  await title.click()
  await page.locator('#request-3:not([open])').waitFor()
  await page.locator('#request-3 summary').click()
  await page.locator('#request-3[open]').waitFor()
  expect(await page.locator('details[open] pre').count()).toBe(shown)
  expect(await page.locator('.requests b').count()).toBe(0)
  expect(faults).toEqual([])
  await close()
})

inChromium('curl repeats HEAD, and a body that was not stored completely', async () => {
  const shop = await startSandbox({ host: host.url })
  const send = (path: string, request: RequestInit) =>
    fetch(shop.url + path, { ...request, headers: { 'X-API-Key': shop.apiKey, 'Content-Type': 'application/json' } })
  const body = JSON.stringify(Array.from({ length: 100 }, () => ({ name: 'x'.repeat(200), categoryId: 1 })))
  await send('/pets', { method: 'HEAD' })
  await send('/pets/batch', { method: 'POST', body })
  using directory = newDirectory()
  writeFileSync(join(directory.path, 'body.json'), body)
  const { page, faults, close } = await open(`${shop.url}/_sandbox`)
  const run = async (id: number) => {
    await page.goto(`${shop.url}/_sandbox/requests#request-${id}`)
    await page.reload()
    const command = (await page.locator('details[open] pre').first().textContent()) ?? ''
    const child = Bun.spawn(
      ['bash', '-c', command.replace('curl', 'curl -s -o response -w "%{http_code}" --max-time 50')],
      {
        cwd: directory.path,
        env: { PATH: process.env.PATH ?? '', PETSTORE_API_KEY: shop.apiKey },
        stdout: 'pipe',
      },
    )
    return [await child.stdout.text(), await child.exited]
  }
  expect(await run(1)).toEqual(['200', 0])
  expect(await run(2)).toEqual(['201', 0])
  expect((await shop.requests()).slice(0, 2).map(({ method, headers }) => [method, headers['content-length']])).toEqual(
    [
      ['POST', String(body.length)],
      ['HEAD', undefined],
    ],
  )
  expect(faults).toEqual([])
  await close()
})

inChromium('the clock is moved, a fault is added and removed, and the shop is reset', async () => {
  const shop = await usedShop()
  await shop.freeze()
  const before = Date.parse((await shop.clock()).at)
  const { page, faults, close } = await open(shop.url)
  await page.goto(`${shop.url}/_sandbox/clock`)
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: '1 day' }).click()])
  expect(Date.parse((await shop.clock()).at) - before).toBe(86_400_000)

  await page.goto(`${shop.url}/_sandbox/faults`)
  await page.locator('[name=operation]').selectOption('placeOrder')
  await page.locator('[name=fault]').selectOption('unavailable')
  await page.getByLabel('Times').fill('2')
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Add' }).click()])
  expect(await shop.faults()).toEqual([{ operation: 'placeOrder', fault: 'unavailable', times: 2 }])
  await page.getByLabel('Times').fill('1')
  await page.getByLabel('Share of requests').fill('0.5')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('status').getByText('cannot be combined with rate').waitFor()
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Remove', exact: true }).click()])
  expect(await shop.faults()).toEqual([])

  await page.goto(`${shop.url}/_sandbox`)
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await shop.requests()).not.toEqual([])
  await page.getByRole('button', { name: 'Reset' }).click()
  await Promise.all([
    page.waitForEvent('load'),
    page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click(),
  ])
  expect(await shop.requests()).toEqual([])
  // The rejected fault is reported by the browser too.
  expect(faults.filter((fault) => !fault.includes('400'))).toEqual([])
  await close()
})

inChromium(
  'the report leads to the request that broke a rule; the shop and its console link to the sandbox',
  async () => {
    const shop = await usedShop()
    const { page, close } = await open(shop.url)
    await page.goto(`${shop.url}/docs/guides/testing`)
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Sandbox' }).click()
    await page.getByRole('navigation', { name: 'Sandbox' }).getByRole('link', { name: 'Report' }).click()
    await page.getByRole('link', { name: 'Request 3' }).click()
    await page.locator('details[open]').getByText('PATCH', { exact: true }).waitFor()

    await page.goto(`${shop.url}/console`)
    await page.getByLabel('API key').fill(shop.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Sandbox' }).click()
    await page.getByRole('heading', { name: /^Sandbox \d+$/ }).waitFor()
    await close()
  },
)

inChromium('what a tab keeps is for its own sandbox only: the key, and what was counted', async () => {
  const [one, other] = [await startSandbox({ host: host.url }), await startSandbox({ host: host.url })]
  const { page, close } = await open(one.url)
  const openInventory = async (shop: Sandbox) => {
    await page.goto(`${shop.url}/console/inventory`)
    await page.getByLabel('API key').fill(shop.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Count the stock' }).click()
    await page.getByLabel('Rex counted').waitFor()
  }
  await openInventory(one)
  await page.getByLabel('Rex counted').fill('7')
  await page.getByText('1 counted').waitFor()
  page.on('dialog', (question) => question.accept())
  await openInventory(other)
  expect(await page.getByLabel('Rex counted').inputValue()).toBe('')
  // Back in the first, nothing is asked again.
  await page.goto(`${one.url}/console/inventory`)
  await page.locator('.frame').waitFor()

  await page.goto(`${one.url}/docs`)
  await page.locator('#key').fill(one.apiKey)
  await page.goto(`${other.url}/docs`)
  expect(await page.locator('#key').inputValue()).toBe('')
  await page.goto(`${one.url}/docs`)
  expect(await page.locator('#key').inputValue()).toBe(one.apiKey)
  await close()
})

inChromium('the home page of the host makes and ends sandboxes', async () => {
  const { page, close } = await open(host.url)
  await page.goto(`${host.url}/`)
  const count = () => page.locator('.sandboxes > li').count()
  const before = await count()
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'New sandbox' }).click()])
  expect(await count()).toBe(before + 1)
  // By keyboard: the default answer is no.
  await page.getByRole('button', { name: 'End' }).last().press('Enter')
  // A new one has a name at once.
  const name = await page.locator('.sandboxes h2').last().innerText()
  expect(name).toMatch(/^Sandbox \d+$/)
  await page
    .getByRole('dialog')
    .getByRole('heading', { name: `End ${name}?` })
    .waitFor()
  expect(await findSeriousFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await count()).toBe(before + 1)
  await page.getByRole('button', { name: 'End' }).last().press('Enter')
  await page.keyboard.press('Tab')
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  expect(await count()).toBe(before)
  await close()
})

inChromium('the second click of a double click hits nothing beneath a dialog, nor on the next page', async () => {
  const shop = await startSandbox({ host: host.url })
  const { page, close } = await open(`${host.url}/`)
  const count = () => page.locator('.sandboxes > li').count()
  const before = await count()
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'New sandbox' }).dblclick()])
  await page.reload()
  expect(await count()).toBe(before + 1)

  await page.goto(`${shop.url}/_sandbox`)
  await page.evaluate(`
    window.clicked = 0
    addEventListener('click', ({ target }) => (window.clicked += target.closest('body > :not(dialog)') ? 1 : 0))`)
  await page.getByRole('button', { name: 'Reset' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).dblclick()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // The key was a click on the button; nothing else was clicked.
  expect(await page.evaluate('window.clicked')).toBe(1)
  await close()
})

test('programs get JSON at the same addresses, and the requests as HAR', async () => {
  const shop = await usedShop()
  for (const path of screens) {
    const response = await fetch(`${shop.url}/_sandbox${path}`)
    expect([path, response.headers.get('content-type')]).toEqual([path, 'application/json;charset=utf-8'])
  }
  const { log } = (await (await fetch(`${shop.url}/_sandbox/requests.har`)).json()) as { log: { entries: object[] } }
  expect(log.entries).toHaveLength(3)
  expect((await fetch(`${shop.url}/llms.txt`).then((response) => response.text())).includes('guides/testing.md')).toBe(
    true,
  )
})

test('faults are shown with where and how often they happen, and each can be removed alone', async () => {
  const shop = await startSandbox({ host: host.url })
  await shop.fail('placeOrder', 'cut_after', { times: 3 })
  await shop.fail({ method: 'GET', path: '/pets' }, 'unavailable', { rate: 0.125 })
  await shop.fail({}, 'slow', { latencyMs: 50 })
  const page = await fetch(`${shop.url}/_sandbox/faults`, { headers: { Accept: 'text/html' } })
  expect(page.headers.get('cache-control')).toBe('no-store')
  const text = await page.text()
  expect([...text.matchAll(/<td>(?!<button)(.*?)<\/td>/g)].map(([, cell]) => cell?.replace(/<.*?>/g, ''))).toEqual([
    ...['placeOrder', 'cut_after', '3 more', '–'],
    ...['GET /pets', 'unavailable', '12.5 %', '–'],
    ...['every operation', 'slow', 'always', '50 ms'],
  ])
  const left = [...text.matchAll(/<button [^>]*data-body="(.*?)"[^>]*>Remove/g)].map(([, body = '']) =>
    JSON.parse(body.replaceAll('&quot;', '"')).rules.map(({ fault }: { fault: string }) => fault),
  )
  expect(text).not.toContain('data-question')
  expect(left).toEqual([['unavailable', 'slow'], ['cut_after', 'slow'], ['cut_after', 'unavailable'], []])
})

test('a report on nothing says so', async () => {
  const shop = await startSandbox({ host: host.url })
  const page = await fetch(`${shop.url}/_sandbox/report`, { headers: { Accept: 'text/html' } })
  expect(await page.text()).toContain(
    '<dt>failed</dt><dd>0</dd></div><div><dt>passed</dt><dd>0</dd></div><div><dt>not seen</dt><dd>14</dd>',
  )
})
