import type { Database } from '../db/database.ts'

export interface Readiness {
  /** Set while the node drains: it still answers, but a load balancer should look elsewhere. */
  draining: boolean
  /** Set while the first start is not done: there may be no key yet that could be used. */
  starting: boolean
}

/** Whether this node can do its work: `ok`, or in a word why not; and what its database is like. */
export async function stateOf(db: Database, { draining, starting }: Readiness) {
  const database = await db.condition()
  const waiting = draining ? 'draining' : starting ? 'starting' : 'unavailable'
  return { status: database === 'ok' && !draining && !starting ? 'ok' : waiting, database }
}

const noStore = { headers: { 'Cache-Control': 'no-store' } }

/** `/healthz`: the process answers. `/readyz`: it can also do its work. */
export function healthPages(db: Database, readiness: Readiness, details: () => Record<string, unknown>) {
  return [
    { path: '/healthz', get: () => Response.json({ status: 'ok' }, noStore) },
    {
      path: '/readyz',
      async get() {
        const state = await stateOf(db, readiness)
        return Response.json({ ...state, ...details() }, { ...noStore, status: state.status === 'ok' ? 200 : 503 })
      },
    },
  ]
}
