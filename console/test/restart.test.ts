import { expect } from 'bun:test'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import { runService } from '../../scripts/run-service.ts'
import { newSecret } from '../../server/src/keys/secret.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { inBrowser, openConsole, typeKey } from './harness.ts'

inBrowser(
  'the service goes away in the middle of an edit and comes back: what was typed is there and is saved',
  async () => {
    const secret = newSecret()
    using directory = newDirectory()
    const env = {
      PORT: String(await freePort()),
      DATABASE_URL: `sqlite:${join(directory.path, 'shop.db')}`,
      ADMIN_API_KEY: secret,
      SAMPLE_DATA: 'true',
    }
    await using first = runService({ env })
    await first.ready
    await using seen = await openConsole(first, { path: '/pets/1' })
    const { page } = seen
    await typeKey(page, secret)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Rex after the restart')
    await first.kill('SIGKILL')
    await page.getByRole('button', { name: 'Save' }).click()
    const banner = page.getByText('No connection to the service.')
    await banner.waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Rex after the restart')

    await using second = runService({ env })
    await second.ready
    await banner.waitFor({ state: 'detached' })
    // What waited is sent by itself; after too long a wait the form is still there, to be sent again.
    const heading = page.getByRole('heading', { name: 'Rex after the restart' })
    const failure = page.locator('form').getByText('The service does not answer')
    await heading.or(failure).waitFor()
    if (await failure.isVisible()) await page.getByRole('button', { name: 'Save' }).click()
    await heading.waitFor()
    const profile = await fetch(`${second.url}/pets/1/profile`, { headers: { 'X-API-Key': secret } })
    expect(await profile.json()).toMatchObject({ name: 'Rex after the restart' })
  },
)
