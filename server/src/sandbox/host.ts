import { join } from 'node:path'
import { unavailable } from '../platform/api/errors.ts'
import type { Awaitable } from '../platform/lib/awaitable.ts'
import { limitConcurrency } from '../platform/lib/concurrency.ts'
import { randomBase62 } from '../platform/lib/random.ts'
import { errorFields } from '../platform/telemetry/log.ts'
import type { Handlers } from '../surfaces/http/listener.ts'
import { createSandboxClock } from './clock.ts'
import { HostError, isRejection, sandboxNotFound, sandboxReplaced } from './errors.ts'
import { carryFindings } from './findings.ts'
import { type OpenSandbox, openSandbox, type SandboxSettings } from './open.ts'
import type { PreparedShops } from './prepared.ts'
import { apiKeyOf, type NewSandbox, newRecord, type SandboxFolders, type SandboxRecord } from './record.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import { createTurns, newShare, type Share } from './turns.ts'

/** A sandbox that no one has used for this long is closed. The next request opens it again. */
const idleMs = 60_000
/** With more than this many open, those not in use are closed earlier. */
const openMax = 32
const idleMsMin = 2_000
/** How many sandboxes open or close at a time: more would slow down those in use, and each other. */
const changesMax = 2
const idLength = 12

/** A closed sandbox wakes when it has a webhook attempt to make. */
type State =
  | { readonly is: 'open'; readonly sandbox: OpenSandbox }
  | { readonly is: 'closed'; readonly wakeAt: number | undefined }

interface Entry {
  record: SandboxRecord
  readonly share: Share
  state: State
  /** Set while it opens, closes or is reset: these never overlap. */
  changing: Promise<unknown> | undefined
  usedAt: number
  /** How many calls of its tools are running. */
  toolCalls: number
}

const newEntry = (record: SandboxRecord, wakeAt: number | undefined): Entry => ({
  record,
  share: newShare(),
  state: { is: 'closed', wakeAt },
  changing: undefined,
  usedAt: 0,
  toolCalls: 0,
})

export interface Host {
  create(wanted: NewSandbox): Promise<OpenSandbox>
  list(): readonly SandboxRecord[]
  /** Opens the sandbox if it is closed, and keeps it open for the work. Rejects if there is none. */
  use<T>(id: string, work: (sandbox: OpenSandbox) => Promise<T>): Promise<T>
  /** The handlers of a sandbox, at once if it is open. */
  find(id: string): Awaitable<Handlers>
  /** Returns a sandbox to its initial state. */
  reset(id: string, wanted: Omit<NewSandbox, 'lifetimeSeconds'>): Promise<OpenSandbox>
  /** Saves the state of a sandbox. It is closed for that, as for a reset. */
  snapshot(id: string): Promise<Snapshot>
  snapshots(id: string): readonly Snapshot[]
  /** Restores a sandbox to what it was, including its clock and its recorded requests. */
  restore(id: string, snapshotId: string): Promise<OpenSandbox>
  removeSnapshot(id: string, snapshotId: string): void
  end(id: string): Promise<void>
  /** Call it every second: it closes idle sandboxes, ends expired ones, and wakes those with work to do. */
  sweep(): Promise<void>
  stop(): Promise<void>
}

interface Dependencies {
  readonly settings: SandboxSettings
  readonly folders: SandboxFolders
  readonly snapshots: Snapshots
  readonly sandboxesMax: number
  readonly prepared: PreparedShops
  /** Handles for a sandbox that does not exist, for one that could not be opened, and while the host stops. */
  readonly missing: Handlers
  readonly notOpened: Handlers
  readonly stopping: Handlers
  readonly onOpen: (sandbox: OpenSandbox) => void
}

const named = /^Sandbox (\d+)$/

/** The name of a sandbox that was not given one. */
function nextName(records: readonly SandboxRecord[]): string {
  const numbers = records.map(({ name = '' }) => Number(named.exec(name)?.[1] ?? 0))
  return `Sandbox ${Math.max(0, ...numbers) + 1}`
}

/** All sandboxes of a host. One that is not in use costs only its files. */
export function createHost(dependencies: Dependencies): Host {
  const { settings, folders, snapshots, sandboxesMax, prepared, missing, notOpened, stopping, onOpen } = dependencies
  const { config, hostTime, log } = settings
  const entries = new Map<string, Entry>(
    // One that was in use when the host crashed may have work to do.
    folders.list().map((record) => [record.id, newEntry(record, record.random.isInUse ? 0 : record.wakeAt)]),
  )

  const turns = createTurns()
  const inTurn = limitConcurrency(changesMax)

  function entryOf(id: string): Entry {
    const entry = entries.get(id)
    if (!entry) throw sandboxNotFound()
    return entry
  }

  let isStopped = false

  function assertNotStopped(): void {
    if (isStopped) throw unavailable('The host of the sandboxes is stopping.')
  }

  /** Runs a change of a sandbox after the one in progress. Rejects if that one ended it. */
  function change<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    const run = Promise.resolve(entry.changing)
      .catch(() => undefined)
      .then(() => {
        if (entries.get(entry.record.id) !== entry) throw sandboxNotFound()
        return work()
      })
      .finally(() => {
        if (entry.changing === run) entry.changing = undefined
      })
    entry.changing = run
    return run
  }

  async function openEntry(entry: Entry): Promise<OpenSandbox> {
    assertNotStopped()
    entry.usedAt = hostTime()
    if (entry.state.is === 'open') return entry.state.sandbox
    const sandbox = await inTurn(() => openSandbox(entry.record, settings))
    entry.state = { is: 'open', sandbox }
    onOpen(sandbox)
    return sandbox
  }

  async function closeEntry(entry: Entry): Promise<void> {
    if (entry.state.is === 'closed') return
    const { sandbox } = entry.state
    entry.state = { is: 'closed', wakeAt: undefined }
    const dueAt = await sandbox.service.nextDueAt()
    const { frozenAt, offsetMs } = sandbox.clock.state()
    const wakeAt = dueAt === undefined || frozenAt !== undefined ? undefined : dueAt - offsetMs
    entry.state = { is: 'closed', wakeAt }
    await inTurn(() => sandbox.close(wakeAt))
    entry.record = sandbox.record()
  }

  /** Puts the files of a new sandbox in place. */
  const write = (record: SandboxRecord): Promise<void> =>
    folders.replace(record, (folder) => {
      const { data, clock } = record
      const { now } = createSandboxClock(hostTime, clock)
      const apiKey = apiKeyOf(record, config.adminApiKey)
      return prepared.copy(join(folder, 'shop.db'), { data, apiKey, now: now() })
    })

  function isIdle({ state, changing, usedAt, toolCalls }: Entry, forMs: number): boolean {
    if (state.is === 'closed' || changing || hostTime() - usedAt < forMs) return false
    const { streams, requestLog, attemptsRunning } = state.sandbox.service
    return streams.count() + requestLog.inFlight() + attemptsRunning() + toolCalls === 0
  }

  async function end(id: string): Promise<void> {
    const entry = entryOf(id)
    await change(entry, async () => {
      await closeEntry(entry)
      entries.delete(id)
      folders.remove(id)
      snapshots.removeAll(id)
    })
  }

  const reportFailure = (id: string) => (error: unknown) => {
    if (!entries.has(id)) return
    log.write('warn', 'a sandbox could not be opened or closed', { sandbox: id, ...errorFields(error) })
  }

  function handlersOf(entry: Entry): Awaitable<Handlers> {
    if (isStopped) return stopping
    const { state } = entry
    if (state.is === 'open' && !entry.changing) {
      entry.usedAt = hostTime()
      return state.sandbox.handlers
    }
    return change(entry, () => openEntry(entry)).then(
      ({ handlers }) => handlers,
      (error: unknown) => {
        const { id } = entry.record
        if (!entries.has(id)) return missing
        if (isStopped) return stopping
        reportFailure(id)(error)
        return notOpened
      },
    )
  }

  return {
    async create(wanted) {
      assertNotStopped()
      if (entries.size >= sandboxesMax) {
        const message = `This host has ${sandboxesMax} sandboxes, which is the maximum. End one, or wait until one expires.`
        throw new HostError(409, 'sandbox_limit_reached', message)
      }
      const name = wanted.name ?? nextName([...entries.values()].map(({ record }) => record))
      const record = newRecord(randomBase62(idLength), { ...wanted, name }, hostTime())
      const entry = newEntry(record, undefined)
      entries.set(record.id, entry)
      return change(entry, async () => {
        await inTurn(() => write(record))
        return openEntry(entry)
      }).catch((error: unknown) => {
        entries.delete(record.id)
        folders.remove(record.id)
        throw error
      })
    },
    list: () =>
      [...entries.values()].map(({ record, state }) => (state.is === 'open' ? state.sandbox.record() : record)),
    async use(id, work) {
      const entry = entryOf(id)
      await turns.takeAll(entry.share)
      const sandbox = await change(entry, () => openEntry(entry))
      entry.toolCalls++
      try {
        return await work(sandbox)
      } catch (error) {
        // Its service may have stopped during the work.
        throw sandbox.isClosed() && !isRejection(error) ? sandboxReplaced() : error
      } finally {
        entry.toolCalls--
        entry.usedAt = hostTime()
      }
    },
    find(id) {
      const entry = entries.get(id)
      if (!entry) return missing
      const turn = turns.take(entry.share)
      return turn ? turn.then(() => handlersOf(entry)) : handlersOf(entry)
    },
    async reset(id, wanted) {
      const entry = entryOf(id)
      return change(entry, async () => {
        assertNotStopped()
        await closeEntry(entry)
        const { name, seed, data, redact, createdAt, expiresAt, isAnnounced } = entry.record
        const record = newRecord(id, { name, seed, data, redact, lifetimeSeconds: 0, ...wanted }, hostTime())
        const kept = { ...record, createdAt, expiresAt, ...(isAnnounced && { isAnnounced }) }
        await inTurn(() => write(kept))
        entry.record = kept
        return openEntry(entry)
      })
    },
    snapshot(id) {
      const entry = entryOf(id)
      return change(entry, async () => {
        assertNotStopped()
        snapshots.mustHaveRoom(id)
        await closeEntry(entry)
        const { record } = entry
        const now = { host: hostTime(), sandbox: createSandboxClock(hostTime, record.clock).now() }
        const made = await inTurn(() => snapshots.create(record, folders.folderOf(id), now))
        await openEntry(entry)
        return made
      })
    },
    snapshots(id) {
      entryOf(id)
      return snapshots.list(id)
    },
    restore(id, snapshotId) {
      const entry = entryOf(id)
      return change(entry, async () => {
        assertNotStopped()
        const { record, at } = snapshots.read(id, snapshotId)
        const { findings, recorder } = await openEntry(entry)
        await closeEntry(entry)
        const found = findings.keepAll(recorder.readAll(), recorder.count())
        const { createdAt, expiresAt, reportId } = entry.record
        // The clock continues from where it was, not from where it would be by now.
        const clock = { ...record.clock, offsetMs: Date.parse(at) - hostTime() }
        const restored = { ...record, createdAt, expiresAt, clock }
        const fill = async (folder: string) => {
          await snapshots.copyTo(folder, id, snapshotId)
          carryFindings(folder, found, record.reportId === reportId)
        }
        await inTurn(() => folders.replace(restored, fill))
        entry.record = restored
        return openEntry(entry)
      })
    },
    removeSnapshot(id, snapshotId) {
      entryOf(id)
      snapshots.remove(id, snapshotId)
    },
    end,
    async sweep() {
      const now = hostTime()
      const open = [...entries.values()]
        .filter(({ state }) => state.is === 'open')
        .sort((one, other) => one.usedAt - other.usedAt)
      const surplus = new Set(open.slice(0, Math.max(0, open.length - openMax)))
      await Promise.all(
        [...entries].map(([id, entry]) => {
          if (now >= entry.record.expiresAt) return end(id).catch(reportFailure(id))
          if (isIdle(entry, surplus.has(entry) ? idleMsMin : idleMs)) {
            return change(entry, () => closeEntry(entry)).catch(reportFailure(id))
          }
          const { state } = entry
          if (state.is === 'open') return Promise.try(() => state.sandbox.recorder.flush()).catch(reportFailure(id))
          if (state.wakeAt === undefined || now < state.wakeAt) return undefined
          entry.state = { is: 'closed', wakeAt: undefined }
          return change(entry, () => openEntry(entry)).catch(reportFailure(id))
        }),
      )
    },
    async stop() {
      isStopped = true
      const closed = await Promise.allSettled(
        [...entries.values()].map((entry) =>
          change(entry, () => closeEntry(entry)).catch((error: unknown) => {
            // One that ended meanwhile needs no closing.
            if (entries.get(entry.record.id) === entry) throw error
          }),
        ),
      )
      for (const result of closed) if (result.status === 'rejected') throw result.reason
    },
  }
}
