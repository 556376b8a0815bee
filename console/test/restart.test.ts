import { expect } from 'bun:test'
import { join } from 'node:path'
import { newSecret } from '../../server/src/platform/keys/secret.ts'
import { onFreePort } from '../../server/test/harness/run/free-port.ts'
import { runService } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { type Service, startService } from '../../server/test/harness/service.ts'
import { choose, inBrowser, openConsole, openSignedIn, typeKey } from './harness.ts'

inBrowser('the service restarts during an edit: the input is kept and saved', async () => {
  const secret = newSecret()
  using directory = newDirectory()
  const env = {
    DATABASE_URL: `sqlite:${join(directory.path, 'shop.db')}`,
    ADMIN_API_KEY: secret,
    SAMPLE_DATA: 'true',
  }
  await using first = await onFreePort(async (port) => {
    const service = runService({ env: { ...env, PORT: String(port) } })
    await service.ready
    return service
  })
  await using opened = await openConsole(first, { path: '/pets/1' })
  const { page } = opened
  await typeKey(page, secret)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Rex after the restart')
  await first.kill('SIGKILL')
  await page.getByRole('button', { name: 'Save' }).click()
  const banner = page.getByText('No connection to the service.')
  await banner.waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Rex after the restart')

  await using second = runService({ env: { ...env, PORT: String(first.port) } })
  await second.ready
  await banner.waitFor({ state: 'detached' })
  // The pending request is retried. After too long a wait, or if the last try met a service that was starting, the form is still there
  // to submit again.
  const saved = page.getByText('Saved.')
  const failure = page.locator('form').getByRole('alert')
  await saved.or(failure).waitFor()
  if (await failure.isVisible()) await page.getByRole('button', { name: 'Save' }).click()
  await saved.waitFor()
  const profile = await fetch(`${second.url}/pets/1/profile`, { headers: { 'X-API-Key': secret } })
  expect(await profile.json()).toMatchObject({ name: 'Rex after the restart' })
})

inBrowser('the console recovers from offline and 503, and a form keeps its input meanwhile', async () => {
  await using service = await startDisposable()
  await using opened = await openSignedIn(service, { path: '/pets?do=new' })
  const { page } = opened
  const name = page.getByRole('dialog').getByLabel('Name')
  await name.fill('Typed while all was well')
  await page.context().setOffline(true)
  await page.getByRole('dialog').getByRole('combobox', { name: 'Category' }).fill('Dogs')
  await page.getByText('No connection to the service.').waitFor()
  await page.context().setOffline(false)
  await page.getByText('No connection to the service.').waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Typed while all was well')

  await choose(page, 'Category', 'Dogs')
  // The response of a proxy while the service restarts.
  let rejections = 0
  await page.route(/\/pets$/, (route) => {
    if (route.request().method() !== 'POST' || ++rejections > 3) return route.continue()
    return route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, body: 'no server is available' })
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('The service is unavailable.').waitFor()
  await page.getByText('Typed while all was well was created.').waitFor()
  await page.getByText('The service is unavailable.').waitFor({ state: 'detached' })
  expect(rejections).toBe(4)
})

async function startDisposable(): Promise<Service & AsyncDisposable> {
  const service = await startService()
  await service.admin.newCategory('Dogs')
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.stop() })
}

inBrowser('who leaves a screen while it loads is not told that the service is away', async () => {
  await using service = await startDisposable()
  await using opened = await openSignedIn(service, { path: '/categories' })
  const { page } = opened
  await page.getByRole('link', { name: 'Dogs' }).waitFor()
  const asked = page.waitForRequest(/\/pets\/profiles/)
  await page.route(/\/pets\/profiles/, () => undefined)
  await page.route(/\/readyz/, () => undefined)
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await asked
  await page.getByRole('link', { name: 'Categories' }).click()
  await page.getByRole('link', { name: 'Dogs' }).waitFor()
  expect(await page.getByText('No connection to the service.').count()).toBe(0)
})
