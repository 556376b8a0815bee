// Shares out work among workers, each with its own PostgreSQL.
import { availableParallelism } from 'node:os'
import { processorSecondsOf } from './processor-time.ts'
import { type Recorded, type Recorder, recordStatements } from './record-statements.ts'
import type { TestPostgres } from './test-postgres.ts'
import type { Engine, TestFile } from './test-selection.ts'

/** Files that run in one process. */
export interface Batch {
  readonly engine: Engine
  readonly files: readonly string[]
  /** The sum of their budgets. */
  readonly seconds: number
}

/** Neighbours share a process, up to this much processor time; the most expensive first. */
export function inBatches(tests: readonly TestFile[], secondsMax: number): Batch[] {
  const batches: Batch[] = []
  for (const { file, engine, seconds } of tests.toSorted((one, other) => one.engine.localeCompare(other.engine))) {
    const last = batches.at(-1)
    if (last?.engine === engine && last.seconds + seconds <= secondsMax)
      batches[batches.length - 1] = { engine, files: [...last.files, file], seconds: last.seconds + seconds }
    else batches.push({ engine, files: [file], seconds })
  }
  return batches.toSorted((one, other) => other.seconds - one.seconds)
}

export interface WorkerPostgres {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** Its processor time so far. */
  processorSeconds(): number
}

export interface Worker {
  /** Its PostgreSQL, started when first used. */
  postgres(): Promise<WorkerPostgres>
}

export interface Workers {
  /** Runs each job, in this order, on the next worker that is free. */
  run(jobs: readonly ((worker: Worker) => Promise<void>)[]): Promise<void>
  /** Each statement that the service sent to their servers, once. */
  recorded(): Recorded[]
  /** Removes their servers. */
  stop(): Promise<void>
}

/** Tests also wait for timers and disks, so there is one more than processors. */
const countOfWorkers = () => Math.min(16, Math.max(2, availableParallelism() + 1))

/** `startServer` starts a PostgreSQL for one worker. */
export function createWorkers(startServer: () => Promise<TestPostgres>, isRecorded: boolean): Workers {
  const servers: TestPostgres[] = []
  const recorders: Recorder[] = []

  async function startPostgres(): Promise<WorkerPostgres> {
    const server = await startServer()
    servers.push(server)
    const { url, processId } = server
    const recorder = isRecorded ? await recordStatements(url) : undefined
    if (recorder) recorders.push(recorder)
    return {
      url,
      env: { ...server.env, ...(recorder && { TEST_RECORDER: new URL(recorder.url).host }) },
      processorSeconds: () => (processId === undefined ? 0 : processorSecondsOf(processId)),
    }
  }

  function newWorker(): Worker {
    let postgres: Promise<WorkerPostgres> | undefined
    return {
      postgres: () => {
        postgres ??= startPostgres()
        return postgres
      },
    }
  }
  const workers = Array.from({ length: countOfWorkers() }, newWorker)

  return {
    async run(jobs) {
      const waiting = [...jobs]
      await Promise.all(
        workers.map(async (worker) => {
          for (let job = waiting.shift(); job; job = waiting.shift()) await job(worker)
        }),
      )
    },
    recorded() {
      const all = recorders.flatMap((recorder) => recorder.recorded())
      return [...new Map(all.map((one) => [`${one.settings}\0${one.sql}`, one])).values()]
    },
    async stop() {
      for (const recorder of recorders) recorder.stop()
      await Promise.all(servers.map((server) => server.remove()))
    },
  }
}
