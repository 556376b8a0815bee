import type { Database } from '../db/database.ts'

export interface Readiness {
  /** The node still answers, but load balancers should stop sending requests. */
  isDraining: boolean
  /** The first start is not done, so there may be no usable key yet. */
  isStarting: boolean
}

/** `status` is `ok` if this node can serve requests, otherwise the reason in one word. */
export async function checkReadiness(db: Database, { isDraining, isStarting }: Readiness) {
  const database = await db.condition()
  const reason = isDraining ? 'draining' : isStarting ? 'starting' : 'unavailable'
  return { status: database === 'ok' && !isDraining && !isStarting ? 'ok' : reason, database }
}

const noStore = { headers: { 'Cache-Control': 'no-store' } }

/** `/healthz`: the process is running. `/readyz`: it can also serve requests. */
export function healthPages(db: Database, readiness: Readiness, details: () => Record<string, unknown>) {
  return [
    { path: '/healthz', get: () => Response.json({ status: 'ok' }, noStore) },
    {
      path: '/readyz',
      async get() {
        const state = await checkReadiness(db, readiness)
        return Response.json({ ...state, ...details() }, { ...noStore, status: state.status === 'ok' ? 200 : 503 })
      },
    },
  ]
}
