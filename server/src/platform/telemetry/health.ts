import type { Condition, Database } from '../db/database.ts'

export interface Readiness {
  /** The node still responds, but load balancers should stop sending requests. */
  isDraining: boolean
  /** The first start is not finished, so there may be no usable key yet. */
  isStarting: boolean
}

/** `status` is `ok` if this node can serve requests, otherwise the reason in one word. */
export async function checkReadiness(db: Database, { isDraining, isStarting }: Readiness) {
  const database = await db.condition()
  const reason = isDraining ? 'draining' : isStarting ? 'starting' : 'unavailable'
  return { status: database === 'ok' && !isDraining && !isStarting ? 'ok' : reason, database }
}

/**
 * Says whether the database has been unavailable for so long that the node is no longer ready. All nodes share PostgreSQL: if a short
 * outage made them all unready, the load balancer would have no node left, and clients would not get our 503 with `Retry-After`.
 */
export function createGrace(graceMs: number, elapsed = () => performance.now()): (condition: Condition) => boolean {
  let awayAt: number | undefined
  return (condition) => {
    awayAt = condition === 'ok' ? undefined : (awayAt ?? elapsed())
    return awayAt !== undefined && elapsed() - awayAt >= graceMs
  }
}

const noStore = { headers: { 'Cache-Control': 'no-store' } }

/** `/healthz`: the process is running. `/readyz`: it can also serve requests. */
export function healthPages(
  db: Database,
  readiness: Readiness,
  graceMs: number,
  details: () => Record<string, unknown>,
) {
  const isAwayTooLong = createGrace(graceMs)
  return [
    { path: '/healthz', get: () => Response.json({ status: 'ok' }, noStore) },
    {
      path: '/readyz',
      async get() {
        const state = await checkReadiness(db, readiness)
        const isReady = !readiness.isDraining && !readiness.isStarting && !isAwayTooLong(state.database)
        return Response.json({ ...state, ...details() }, { ...noStore, status: isReady ? 200 : 503 })
      },
    },
  ]
}
