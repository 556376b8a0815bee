import type { Page } from 'playwright-core'
import type { Service } from '../server/test/harness/service.ts'

interface Picture {
  readonly name: string
  readonly path: string
  /** What a user does before the picture is taken. */
  readonly prepare?: (page: Page, service: Service) => Promise<unknown>
  /** The whole page, not only the window. */
  readonly isWhole?: boolean
  /** Shown on the home page, and the overview in the README. */
  readonly isOnHome?: boolean
  readonly isOfSandbox?: boolean
}

/** Sends the call of the reference that lists pets. */
async function callListPets(page: Page): Promise<void> {
  const operation = page.locator('section[aria-labelledby="listPets"]')
  await operation.locator('.try > summary').click()
  await operation.locator('.try button[type="submit"]').click()
  await operation.locator('.response-body pre').waitFor()
  await operation.locator('h4').scrollIntoViewIfNeeded()
}

/** Edits a pet that someone else changes in the meantime. */
async function meetConflict(page: Page, { admin }: Service): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Thumper the brave')
  const { body: pet } = await admin.get('/pets/17/profile')
  await admin.patch('/pets/17', { name: pet.name === 'Thumper' ? 'Thumper the shy' : 'Thumper' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Someone else changed' }).waitFor()
}

export const pictures: readonly Picture[] = [
  { name: 'home', path: '/', isWhole: true },
  { name: 'reference', path: '/docs' },
  { name: 'reference-call', path: '/docs#listPets', prepare: callListPets },
  { name: 'errors', path: '/errors' },
  { name: 'status', path: '/status', isWhole: true },
  { name: 'guide', path: '/docs/guides/pets-and-stock' },
  { name: 'overview', path: '/console', isWhole: true, isOnHome: true },
  { name: 'pets', path: '/console/pets' },
  { name: 'pet', path: '/console/pets/17', isWhole: true },
  { name: 'conflict', path: '/console/pets/17', prepare: meetConflict },
  { name: 'pet-new', path: '/console/pets?do=new' },
  { name: 'categories', path: '/console/categories' },
  { name: 'orders', path: '/console/orders' },
  { name: 'order', path: '/console/orders/16', isWhole: true },
  { name: 'inventory', path: '/console/inventory' },
  { name: 'keys', path: '/console/keys' },
  { name: 'key', path: '/console/keys/2', isWhole: true },
  { name: 'key-new', path: '/console/keys?do=new' },
  { name: 'webhooks', path: '/console/webhooks' },
  { name: 'webhook', path: '/console/webhooks/1', isWhole: true },
  { name: 'webhook-new', path: '/console/webhooks?do=new' },
  { name: 'events', path: '/console/events' },
  { name: 'report', path: '/_sandbox/report', isOfSandbox: true, isOnHome: true },
  { name: 'palette', path: '/console', prepare: (page) => page.keyboard.press('Control+k') },
]
