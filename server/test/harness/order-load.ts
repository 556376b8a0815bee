import { SQL } from 'bun'
import { call } from './nodes.ts'

export interface Load {
  /** The number of responses by status; 0 means no response. */
  readonly statuses: Map<number, number>
  /** Orders that were acknowledged as placed, and those acknowledged as cancelled. */
  readonly placed: Set<number>
  readonly cancelled: Set<number>
  stop(): Promise<void>
}

/** Places, reads and cancels orders continuously until stopped. */
export function startLoad(urls: readonly string[], secret: string, petId: number, workers: number): Load {
  const statuses = new Map<number, number>()
  const placed = new Set<number>()
  const cancelled = new Set<number>()
  let stopped = false

  async function request(turn: number, method: string, path: string, body?: unknown) {
    const url = urls[turn % urls.length] ?? ''
    const response = await call(url, secret, method, path, body).catch(() => ({ status: 0, body: undefined }))
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    // Back off briefly if the node cannot respond, like a client would.
    if (response.status === 0 || response.status >= 500) await Bun.sleep(20)
    return response
  }

  async function work(worker: number): Promise<void> {
    for (let turn = worker; !stopped; turn++) {
      const order = await request(turn, 'POST', '/store/orders', { petId })
      if (order.status !== 201) continue
      placed.add(order.body.id)
      await request(turn + 1, 'GET', `/store/orders/${order.body.id}`)
      if (turn % 2 === 0) continue
      const cancel = await request(turn + 2, 'DELETE', `/store/orders/${order.body.id}`)
      // Without a response, or with 503, the change may or may not have happened.
      if (cancel.status === 204) cancelled.add(order.body.id)
      else placed.delete(order.body.id)
    }
  }

  const working = Array.from({ length: workers }, (_, worker) => work(worker))
  return {
    statuses,
    placed,
    cancelled,
    async stop() {
      stopped = true
      await Promise.all(working)
    },
  }
}

/** Inconsistencies between orders, stock and stock movements. */
export async function imbalances(databaseUrl: string, load: Pick<Load, 'placed' | 'cancelled'>): Promise<string[]> {
  const sql = new SQL(databaseUrl, { max: 1 })
  try {
    const stock = await sql.unsafe(
      `SELECT i.pet_id::int AS pet FROM inventory i
       WHERE i.quantity <> (SELECT coalesce(sum(delta), 0) FROM stock_movements m WHERE m.pet_id = i.pet_id)`,
    )
    const movements = await sql.unsafe(
      `SELECT coalesce(o.id, m.order_id)::int AS order
       FROM orders o FULL JOIN (SELECT order_id, -sum(delta) AS taken FROM stock_movements WHERE order_id IS NOT NULL GROUP BY order_id) m
         ON m.order_id = o.id
       WHERE coalesce(o.quantity, 0) <> coalesce(m.taken, 0)`,
    )
    const rows: { id: number }[] = await sql.unsafe('SELECT id::int FROM orders')
    const there = new Set(rows.map((row) => row.id))
    const lost = [...load.placed].filter((id) => !there.has(id) && !load.cancelled.has(id))
    const undead = [...load.cancelled].filter((id) => there.has(id))
    return [
      ...stock.map(({ pet }: { pet: number }) => `the stock of pet ${pet} does not match the stock movements`),
      ...movements.map(({ order }: { order: number }) => `order ${order} does not match the stock movements`),
      ...lost.map((id) => `order ${id} was acknowledged and is gone`),
      ...undead.map((id) => `order ${id} was cancelled and is still there`),
    ]
  } finally {
    await sql.close()
  }
}
