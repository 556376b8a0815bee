import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { atPort, type Config } from '../config.ts'
import type { Shop } from '../platform/compose/shop.ts'
import { lockForServing, ServedAlready, type ServingLock } from '../platform/db/sqlite-lock.ts'
import { systemClock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { listenForMany } from '../surfaces/http/listener.ts'
import { createAccessCheck, isLoopback } from './access.ts'
import { createCors } from './cors.ts'
import { createHost, type Host } from './host.ts'
import { createHostHandlers } from './host-handlers.ts'
import type { SandboxSettings } from './open.ts'
import { createPreparedShops } from './prepared.ts'
import { openFolders, type SandboxRecord } from './record.ts'
import { noSandbox, notOpened, stopping } from './responding.ts'
import { NewSandboxShape } from './shapes.ts'
import { showSandbox } from './show.ts'
import { openSnapshots } from './snapshots.ts'

const sweepEveryMs = 1_000
const mebibyte = 1024 * 1024

interface HostOptions {
  /** The shop that each sandbox serves. */
  readonly shop: Shop
  readonly config: Config
  readonly log: Log
  /** Where the sandboxes are. */
  readonly directory: string
  readonly sandboxesMax?: number
  /** How large the database of a sandbox may become. */
  readonly databaseBytesMax?: number
  /** Origins whose pages may create and manage sandboxes, for tests in browsers. */
  readonly allowedOrigins?: readonly string[]
  /** Milliseconds since the Unix epoch. */
  readonly hostTime?: () => number
}

export interface RunningHost {
  readonly url: string
  readonly host: Host
  /** A sandbox to start with. */
  readonly ready: ReturnType<typeof showSandbox>
  stop(): Promise<void>
}

/** Starts a host of sandboxes. */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const { shop, config, log, directory, sandboxesMax = 1_000, databaseBytesMax = 64 * mebibyte } = options
  const { hostTime = systemClock().now, allowedOrigins = [] } = options
  const cors = createCors(allowedOrigins)
  // Behind a proxy, BASE_URL is the address that other machines use.
  const isLocal = isLoopback(config.host) && isLoopback(URL.parse(config.baseUrl)?.hostname ?? '')
  if (!isLocal && config.adminApiKey === undefined) {
    throw new Error(
      'A host of sandboxes that other machines can reach needs a key. Set ADMIN_API_KEY, or use loopback addresses for HOST and BASE_URL.',
    )
  }
  await using opened = new AsyncDisposableStack()
  const lock = lockDirectory(directory)
  opened.defer(lock.release)
  const folders = openFolders(join(directory, 'sandboxes'))
  let host: Host | undefined
  let baseUrl = config.baseUrl
  const theHost = () => host as Host
  const access = { baseUrl: () => baseUrl, hostKey: config.adminApiKey, hostTime, allows: cors.allows }
  const handlers = createHostHandlers({
    shop,
    host: theHost,
    mayManage: createAccessCheck(access),
    cors,
    log,
    ...access,
  })
  const listener = listenForMany(config.host, config.port, { find: (id) => theHost().find(id), host: handlers })
  opened.defer(listener.stop)
  baseUrl = atPort(baseUrl, listener.port)
  const settings: SandboxSettings = {
    shop,
    config: { ...config, baseUrl },
    isLocal,
    databaseBytesMax,
    log,
    hostTime,
    folderOf: folders.folderOf,
    save: folders.save,
  }
  host = createHost({
    settings,
    folders,
    snapshots: openSnapshots(join(directory, 'snapshots'), new Set(folders.list().map(({ id }) => id))),
    sandboxesMax,
    prepared: createPreparedShops(shop, directory, config),
    missing: noSandbox,
    notOpened,
    stopping,
    onOpen: ({ handlers: { byPath } }) => listener.addPaths(Object.keys(byPath)),
  })
  opened.defer(host.stop)
  const ready = await openAnnounced(host, hostTime())
  const sweeper = setInterval(() => void theHost().sweep(), sweepEveryMs)
  opened.defer(() => clearInterval(sweeper))
  const running = opened.move()
  return { url: baseUrl, host, ready: showSandbox(ready), stop: () => running.disposeAsync() }
}

/** Two hosts would remove and overwrite each other's files. */
function lockDirectory(directory: string): ServingLock {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return lockForServing(join(directory, 'host'))
  } catch (error) {
    if (!(error instanceof ServedAlready)) {
      const message = `Sandboxes cannot be stored in ${directory}. Use another directory: petstore sandbox --directory <path>`
      throw new Error(message, { cause: error })
    }
    throw new Error(
      `The sandboxes in ${directory} are already served by ${error.holder}. Stop it first, or use another directory.`,
    )
  }
}

/** The sandbox of the last start, or a new one. */
async function openAnnounced(host: Host, now: number) {
  const known = host.list().find(({ isAnnounced, expiresAt }: SandboxRecord) => isAnnounced && expiresAt > now)
  const { lifetimeSeconds } = NewSandboxShape.parse({})
  return known
    ? host.use(known.id, async (sandbox) => sandbox)
    : host.create({ name: 'First sandbox', lifetimeSeconds, isAnnounced: true })
}
