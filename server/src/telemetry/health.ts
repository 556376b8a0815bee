import type { Database } from '../db/database.ts'

export interface Readiness {
  /** Set while the node drains: it still answers, but a load balancer should look elsewhere. */
  draining: boolean
  /** Set while the first start is not done: there may be no key yet that could be used. */
  starting: boolean
}

const noStore = { headers: { 'Cache-Control': 'no-store' } }

/** `/healthz`: the process answers. `/readyz`: it can also do its work. */
export function healthPages(db: Database, readiness: Readiness, details: () => Record<string, unknown>) {
  return [
    { path: '/healthz', get: () => Response.json({ status: 'ok' }, noStore) },
    {
      path: '/readyz',
      async get() {
        const database = await db.condition()
        const ready = database === 'ok' && !readiness.draining && !readiness.starting
        const waiting = readiness.draining ? 'draining' : readiness.starting ? 'starting' : 'unavailable'
        const status = ready ? 'ok' : waiting
        return Response.json({ status, database, ...details() }, { ...noStore, status: ready ? 200 : 503 })
      },
    },
  ]
}
