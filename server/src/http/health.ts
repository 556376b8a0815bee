import type { Database } from '../db/database.ts'
import type { Page } from './mount.ts'

export interface Readiness {
  /** Set while the node drains: it still answers, but a load balancer should look elsewhere. */
  draining: boolean
}

const noStore = { headers: { 'Cache-Control': 'no-store' } }

/** `/healthz`: the process answers. `/readyz`: it can also do its work. */
export function healthPages(db: Database, readiness: Readiness, details: () => Record<string, unknown>): Page[] {
  return [
    { path: '/healthz', get: () => Response.json({ status: 'ok' }, noStore) },
    {
      path: '/readyz',
      async get() {
        const database = await db.query('SELECT 1').then(
          () => 'ok',
          () => 'unreachable',
        )
        const ready = database === 'ok' && !readiness.draining
        const status = readiness.draining ? 'draining' : ready ? 'ok' : 'unavailable'
        return Response.json({ status, database, ...details() }, { ...noStore, status: ready ? 200 : 503 })
      },
    },
  ]
}
