// Durable orders the plain way: one transaction and one fsync per request. No keys, limits, checks or log.
import { openOrderTables, orderPlacer } from './order-tables.ts'

const place = orderPlacer(openOrderTables(process.env.DATABASE_PATH as string))

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  routes: {
    '/store/orders': {
      async POST(request) {
        const { petId, quantity = 1 } = (await request.json()) as { petId: number; quantity?: number }
        return Response.json({ id: place(petId, quantity), petId, quantity, complete: false }, { status: 201 })
      },
    },
  },
})
process.stdout.write(`The server with one commit per order is ready on port ${server.port}.\n`)
