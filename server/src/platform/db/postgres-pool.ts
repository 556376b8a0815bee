import { DatabaseUnavailable, type PoolState } from './database.ts'
import type { DatabaseObserver } from './observer.ts'
import type { Session } from './postgres-session.ts'
import { createWaitQueue, waitMsMax } from './wait-queue.ts'

/** How long a session may take to cancel work that missed its deadline; then the connection is closed. */
const graceMs = 500
/** The assumed time per transaction, over all connections, before the first measurement. */
const assumedMs = 1

export interface Pool {
  /**
   * Runs `work` on a session that no one else uses meanwhile. At the deadline `onLate` is called, which should make `work` end; soon
   * after that the connection is closed.
   */
  use<T>(deadline: Deadline, work: (session: Session) => Promise<T>): Promise<T>
  hasRoom(): boolean
  readonly waiting: number
  readonly state: PoolState
  /** Opens all sessions of a new pool. */
  fill(): Promise<void>
  /** Replaces all open sessions: each is closed as soon as it is free. */
  renew(): void
  /** Changes how many sessions there may be. */
  resize(sessionsMax: number): void
  close(): Promise<void>
}

export interface Deadline {
  /** By `performance.now()`. */
  readonly at: number
  readonly onLate: (session: Session) => void
}

interface Waiter {
  readonly resolve: (session: Session) => void
  readonly reject: (error: unknown) => void
}

interface PoolOptions {
  readonly name: PoolState['name']
  readonly open: () => Promise<Session>
  readonly sessionsMax: number
  readonly observer: DatabaseObserver
}

/** A pool of sessions, opened on demand, with a queue of waiters. */
export function createPool({ name, open, observer, ...options }: PoolOptions): Pool {
  let { sessionsMax } = options
  const sessions = new Set<Session>()
  let idle: Session[] = []
  let opening = 0
  const retired = new WeakSet<Session>()
  let isClosed = false
  const queue = createWaitQueue<Waiter>({ assumedMs, patienceMs: waitMsMax }, ({ reject }) => {
    observer.shed()
    reject(new DatabaseUnavailable(`no connection was free within ${waitMsMax} ms`))
  })

  function acquire(): Promise<Session> | Session {
    for (let session = idle.pop(); session; session = idle.pop()) if (!session.isClosed) return session
    return new Promise((resolve, reject) => {
      if (isClosed) reject(new DatabaseUnavailable('the connections are closed'))
      else if (queue.enqueue({ resolve, reject })) openMore()
      else {
        observer.shed()
        reject(new DatabaseUnavailable(`too many are waiting to be served within ${waitMsMax} ms`))
      }
    })
  }

  function openMore(): void {
    if (!isClosed && opening < queue.length && sessions.size + opening < sessionsMax) void openOne()
  }

  async function openOne(): Promise<void> {
    opening++
    const opened = await open().then(
      (session) => ({ session }),
      (error: unknown) => ({ error }),
    )
    opening--
    if ('session' in opened) add(opened.session)
    // An existing session will serve the waiters. Without one they would wait in vain.
    else if (sessions.size + opening === 0) for (const { reject } of queue.clear()) reject(opened.error)
  }

  function add(session: Session): void {
    sessions.add(session)
    void session.ended.then(() => {
      sessions.delete(session)
      idle = idle.filter((other) => other !== session)
      openMore()
    })
    release(session)
  }

  function release(session: Session): void {
    if (isClosed || retired.has(session) || session.isWorn) session.close()
    if (session.isClosed) return
    const next = queue.take()
    if (next) next.resolve(session)
    else idle.push(session)
    openMore()
  }

  function retire(some: readonly Session[]): void {
    for (const session of some) retired.add(session)
    for (const session of idle) if (retired.has(session)) session.close()
    idle = idle.filter((session) => !retired.has(session))
  }

  return {
    async use({ at, onLate }, work) {
      const session = await acquire()
      const stop = () => {
        // Not reused: a cancellation that arrives late would hit the next user's work.
        retired.add(session)
        timer = setTimeout(session.close, graceMs)
        onLate(session)
      }
      let timer = setTimeout(stop, Math.max(0, at - performance.now()))
      try {
        return await work(session)
      } finally {
        clearTimeout(timer)
        release(session)
      }
    },
    hasRoom() {
      const hasRoom = queue.hasRoom()
      if (!hasRoom) observer.shed()
      return hasRoom
    },
    get waiting() {
      return queue.length
    },
    get state() {
      const open = sessions.size
      return { name, open, used: open - idle.length, max: sessionsMax, waiting: queue.length }
    },
    async fill() {
      await Promise.all(Array.from({ length: sessionsMax }, openOne))
    },
    renew() {
      retire([...sessions])
    },
    resize(max) {
      sessionsMax = max
      const busy = [...sessions].filter((session) => !idle.includes(session))
      const kept = [...idle, ...busy].filter((session) => !retired.has(session))
      retire(kept.slice(0, Math.max(0, kept.length - max)))
      openMore()
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.clear()) reject(new DatabaseUnavailable('the connections are closed'))
      for (const session of idle) session.close()
      idle = []
      await Promise.all([...sessions].map((session) => session.ended))
    },
  }
}
