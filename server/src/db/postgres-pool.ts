import { DatabaseUnavailable } from './database.ts'
import { createLine, waitMsMax } from './line.ts'
import type { Session } from './postgres-session.ts'

/** How long a session may take to get rid of work that is past its deadline; then the connection is cut. */
const graceMs = 1_000
/** What a transaction is thought to take, of all connections together, before it was measured. */
const assumedMs = 1

export interface Pool {
  /**
   * Runs `work` on a session that nobody else has meanwhile. At the deadline `late` is called, which should make `work` end;
   * soon after it the connection is cut, which does.
   */
  use<T>(deadline: Deadline, work: (session: Session) => Promise<T>): Promise<T>
  hasRoom(): boolean
  readonly waiting: number
  /** Opens as many sessions as there may be. */
  fill(): Promise<void>
  /** Trusts no session that is open now: each is closed as soon as nobody has it. */
  renew(): void
  close(): Promise<void>
}

export interface Deadline {
  /** By `performance.now()`. */
  readonly at: number
  readonly late: (session: Session) => void
}

interface Waiter {
  readonly resolve: (session: Session) => void
  readonly reject: (error: unknown) => void
}

/** Sessions, opened as they are needed, and the line of those that wait for one. */
export function createPool(open: () => Promise<Session>, sessionsMax: number): Pool {
  const sessions = new Set<Session>()
  let idle: Session[] = []
  let opening = 0
  const distrusted = new WeakSet<Session>()
  let closed = false
  const line = createLine<Waiter>({ assumedMs, patienceMs: waitMsMax }, ({ reject }) =>
    reject(new DatabaseUnavailable(`no connection was free within ${waitMsMax} ms`)),
  )

  function acquire(): Promise<Session> | Session {
    for (let session = idle.pop(); session; session = idle.pop()) if (!session.isClosed) return session
    return new Promise((resolve, reject) => {
      if (closed) reject(new DatabaseUnavailable('the connections are closed'))
      else if (line.join({ resolve, reject })) openMore()
      else reject(new DatabaseUnavailable(`more wait than can be served within ${waitMsMax} ms`))
    })
  }

  function openMore(): void {
    if (!closed && opening < line.length && sessions.size + opening < sessionsMax) void openOne()
  }

  async function openOne(): Promise<void> {
    opening++
    const opened = await open().then(
      (session) => ({ session }),
      (error: unknown) => ({ error }),
    )
    opening--
    if ('session' in opened) welcome(opened.session)
    // While there is a session, it will come to those who wait. Without one, nobody will.
    else if (sessions.size + opening === 0) for (const { reject } of line.dissolve()) reject(opened.error)
  }

  function welcome(session: Session): void {
    sessions.add(session)
    void session.ended.then(() => {
      sessions.delete(session)
      idle = idle.filter((other) => other !== session)
      openMore()
    })
    release(session)
  }

  function release(session: Session): void {
    if (closed || distrusted.has(session)) session.close()
    if (session.isClosed) return
    const next = line.take()
    if (next) next.resolve(session)
    else idle.push(session)
    openMore()
  }

  return {
    async use({ at, late }, work) {
      const session = await acquire()
      const stop = () => {
        // Not used again: a cancellation that arrives late would hit the work of somebody else.
        distrusted.add(session)
        timer = setTimeout(session.close, graceMs)
        late(session)
      }
      let timer = setTimeout(stop, Math.max(0, at - performance.now()))
      try {
        return await work(session)
      } finally {
        clearTimeout(timer)
        release(session)
      }
    },
    hasRoom: line.hasRoom,
    get waiting() {
      return line.length
    },
    async fill() {
      const missing = Array.from({ length: sessionsMax - sessions.size - opening }, openOne)
      await Promise.all(missing)
    },
    renew() {
      for (const session of sessions) distrusted.add(session)
      for (const session of idle) session.close()
      idle = []
    },
    async close() {
      closed = true
      for (const { reject } of line.dissolve()) reject(new DatabaseUnavailable('the connections are closed'))
      for (const session of idle) session.close()
      idle = []
      await Promise.all([...sessions].map((session) => session.ended))
    },
  }
}
