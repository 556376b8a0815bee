import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Route } from '../platform/api/operation.ts'
import type { Shop } from '../platform/compose/shop.ts'
import { hashSecret } from '../platform/keys/secret.ts'
import { limitConcurrency } from '../platform/lib/concurrency.ts'
import { randomFraction, seededRandom, type Taken } from '../platform/lib/random.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { type Service, start } from '../start.ts'
import { type Handlers, handlersOf, type Listen, type Served } from '../surfaces/http/listener.ts'
import { createSandboxClock, type SandboxClock } from './clock.ts'
import { cutFor, cutResponse } from './cut.ts'
import { sandboxReplaced } from './errors.ts'
import { setRetryAfter } from './fault-errors.ts'
import { otherFaults } from './fault-rules.ts'
import { createFaults, type Faults } from './faults.ts'
import { type Findings, openFindings } from './findings.ts'
import { sandboxLinks } from './pages/frame.ts'
import { profileOf } from './profile.ts'
import { apiKeyOf, type SandboxRecord, secretSeed } from './record.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { replaceKey } from './replace-key.ts'
import { readAttempts } from './webhook-attempts.ts'

/** Fewer than a service has, because many sandboxes run together. */
const webhookAttemptsMax = 8

/** What the sandboxes of a host share. */
export interface SandboxSettings {
  readonly shop: Shop
  /** The configuration of the host: each sandbox has its own address, database and key. */
  readonly config: Config
  /** Whether only programs on this machine can reach the host. */
  readonly isLocal: boolean
  /** How large the database of a sandbox may become. */
  readonly databaseBytesMax: number
  readonly log: Log
  readonly hostTime: () => number
  readonly folderOf: (id: string) => string
  readonly save: (record: SandboxRecord) => void
}

/** A sandbox with its service running. */
export interface OpenSandbox {
  record(): SandboxRecord
  readonly baseUrl: string
  readonly apiKey: string
  /** Whether browsers have to sign in to its screens. */
  readonly needsSignIn: boolean
  readonly handlers: Handlers
  readonly routes: readonly Route[]
  readonly service: Service
  readonly clock: SandboxClock
  readonly faults: Faults
  readonly recorder: Recorder
  readonly redact: Redactor
  readonly findings: Findings
  readonly hostTime: () => number
  /** Runs changes of the clock one after the other. */
  readonly clockInTurn: ReturnType<typeof limitConcurrency>
  /** Whether it was closed since it was opened, and perhaps replaced. */
  isClosed(): boolean
  /** Changes what is stored about it. Throws if it is closed. */
  update(change: Partial<SandboxRecord>): void
  /** `wakeAt`: when it is to be opened again, if no request does so earlier. */
  close(wakeAt: number | undefined): Promise<void>
}

/** Starts the service of a sandbox, put together like any other, with its own clock, randomness and faults. */
export async function openSandbox(stored: SandboxRecord, settings: SandboxSettings): Promise<OpenSandbox> {
  const { shop, config, isLocal, databaseBytesMax, hostTime, folderOf, save } = settings
  const { id, seed } = stored
  let record = { ...stored, random: nextSequence(stored.random) }
  let isClosed = false
  /** Closed, and with all requests in their file. */
  let isWritten = false
  const store = (change: Partial<SandboxRecord>) => {
    record = { ...record, ...change }
    save(record)
  }
  store({})

  const baseUrl = `${config.baseUrl}/s/${id}`
  const apiKey = apiKeyOf(record, config.adminApiKey)
  const sequenceOf = (name: string, taken?: Taken) =>
    seededRandom(`${secretSeed(seed, config.adminApiKey)} ${name}`, taken)
  const random = sequenceOf(`sequence ${record.random.sequence}`, record.random.taken)
  const clock = createSandboxClock(hostTime, record.clock)
  const faults = createFaults({
    operations: shop.operations,
    rules: record.faults,
    attempts: record.faultAttempts,
    fractionOf: (name) => randomFraction(sequenceOf(`fault ${name}`)),
    // A request that outlives the sandbox leaves no trace in the next one.
    onStrike: (rules, attempts) => isClosed || store({ faults: rules, faultAttempts: attempts }),
  })
  const redact = createRedactor(record.redact)
  const now = () => ({ nowMs: hostTime(), apiNowMs: clock.now() })
  const findings = openFindings(folderOf(id), profileOf(shop.operations, baseUrl), now)
  const recorder = createRecorder({
    file: join(folderOf(id), 'requests.jsonl'),
    hostTime,
    sandboxTime: clock.now,
    root: `/s/${id}`,
    redact,
    faultOf: faults.givenTo,
    droppedTo: findings.requestsTo(),
    // A request that outlives the sandbox leaves no trace in the next one.
    onDrop: (all, upTo) => isWritten || findings.keepRequests(all, upTo),
  })
  const mount = createMount()
  const dateAt = createDateText()
  const service = await start(
    shop,
    {
      ...config,
      baseUrl,
      databaseUrl: `sqlite:${join(folderOf(id), 'shop.db')}`,
      adminApiKey: apiKey,
      sampleData: record.data === 'sample',
      metricsPort: undefined,
      traces: undefined,
      webhookAllowPrivate: isLocal,
      webhookAttemptsMax,
    },
    clock,
    settings.log.with({ sandbox: id }),
    {
      listen: mount.listen,
      random,
      wrap: faults.wrap,
      observe: {
        waits: recorder.open,
        responds(exchange, response) {
          response.headers.set('Date', dateAt(exchange.now))
          const rule = faults.ruleOf(exchange)
          if (rule) setRetryAfter(response, rule, exchange.now)
          const wanted = otherFaults[rule?.fault ?? '']?.cut
          if (wanted === undefined) return recorder.record(exchange, response, undefined)
          const cut = cutFor(exchange, response, wanted)
          return recorder.record(exchange, cutResponse(exchange, response, cut), cut)
        },
      },
      onAttempts: async (db) => findings.keepAttempts(await readAttempts(db)),
      databaseBytesMax,
      // It is test data, and waiting for the disk took most of the time of a reset.
      databaseIsSynced: false,
      links: sandboxLinks,
    },
  )
  const keyHash = hashSecret(apiKey)
  if (record.keyHash !== undefined && record.keyHash !== keyHash) await replaceKey(service.db, record.keyHash, apiKey)
  if (record.keyHash !== keyHash) store({ keyHash })
  return {
    record: () => record,
    baseUrl,
    apiKey,
    needsSignIn: config.adminApiKey !== undefined,
    handlers: mount.handlers(),
    routes: mount.routes(),
    service,
    clock,
    faults,
    recorder,
    redact,
    findings,
    hostTime,
    clockInTurn: limitConcurrency(1),
    isClosed: () => isClosed,
    update(change) {
      if (isClosed) throw sandboxReplaced()
      store(change)
    },
    async close(wakeAt) {
      isClosed = true
      await service.stop()
      // What this drops is judged before.
      recorder.flush()
      isWritten = true
      store({
        // A move that is on its way has come this far, and the data has too.
        clock: clock.state(),
        random: { ...record.random, taken: random.taken(), isInUse: false },
        faultAttempts: faults.attempts(),
        wakeAt,
      })
    },
  }
}

/** Continues the sequence, or starts another one if the last use ended in a crash. */
const nextSequence = ({ sequence, taken, isInUse }: SandboxRecord['random']): SandboxRecord['random'] =>
  isInUse ? { sequence: sequence + 1, taken: { bytes: 0, uuids: 0 }, isInUse } : { sequence, taken, isInUse: true }

/** Keeps the handlers of a service for the listener of the host, instead of opening a port. */
function createMount() {
  let served: Served | undefined
  let handlers: Handlers | undefined
  let isStopping = false
  const serve = (serving: Served) => {
    served = serving
    handlers = handlersOf(serving, () => isStopping)
  }
  const listen: Listen = (_host, port, serving) => {
    serve(serving)
    return {
      port,
      replace: serve,
      async stop() {
        isStopping = true
      },
    }
  }
  return { listen, handlers: () => handlers as Handlers, routes: () => served?.routes ?? [] }
}

/** Formats the `Date` header, which follows the sandbox's clock, once per second. */
function createDateText(): (now: number) => string {
  let second = Number.NaN
  let text = ''
  return (now) => {
    if (Math.floor(now / 1000) === second) return text
    second = Math.floor(now / 1000)
    text = new Date(now).toUTCString()
    return text
  }
}
