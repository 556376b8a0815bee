import { expect } from 'bun:test'
import type { Service } from '../../harness/service.ts'

/** The sum of a pet's stock movements, by cause. */
export async function movements(service: Service, petId: number): Promise<Record<string, number>> {
  const rows = await service.context.db.query<{ cause: string; delta: number }>(
    'SELECT cause, sum(delta) AS delta FROM stock_movements WHERE pet_id = $1 GROUP BY cause',
    [petId],
  )
  return Object.fromEntries(rows.map(({ cause, delta }) => [cause, Number(delta)]))
}

/** Checks that the stock is what was added minus what was taken, and that orders have exactly what was taken for them. */
export async function expectBalance(service: Service, petId: number): Promise<void> {
  const { db } = service.context
  const [stock] = await db.query<{ quantity: number }>('SELECT quantity FROM inventory WHERE pet_id = $1', [petId])
  const orders = await db.query<{ quantity: number }>('SELECT quantity FROM orders WHERE pet_id = $1', [petId])
  const byCause = await movements(service, petId)
  const sum = (...causes: string[]) => causes.reduce((total, cause) => total + (byCause[cause] ?? 0), 0)
  expect(sum(...Object.keys(byCause))).toBe(stock?.quantity ?? 0)
  expect(0 - sum('ordered', 'order changed', 'cancelled')).toBe(
    orders.reduce((total, { quantity }) => total + quantity, 0),
  )
}
