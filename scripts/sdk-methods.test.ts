import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { methodsFile, methodsPage } from './sdk-methods.ts'

test('sdk/METHODS.md has the signature, the errors and an example of every method (if not: npm run openapi)', async () => {
  const page = await methodsPage()
  expect(readFileSync(methodsFile, 'utf8')).toBe(page)
  expect(page).toContain('\nstore.orders.place(order: NewOrder, options?: PostOptions): Promise<Tagged<Order>>\n')
  expect(page).toMatch(/^Place an order\. .*`insufficient_stock`/m)
})
