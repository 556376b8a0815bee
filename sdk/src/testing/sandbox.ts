import type { PetStoreOptions } from '../options.ts'
import { PetStore } from '../petstore.ts'
import { parseSeconds } from './duration.ts'
import { findHost, type Host } from './find-host.ts'
import type {
  Clock,
  Fault,
  FaultKind,
  FaultOptions,
  FaultTarget,
  RecordedRequest,
  Report,
  Snapshot,
} from './records.ts'

/** What is in the shop: the sample shop unless `empty`. The same seed gives the same ids, names and secrets. */
export interface ShopOptions {
  readonly seed?: string | undefined
  readonly data?: 'sample' | 'empty' | undefined
}

export interface SandboxOptions extends ShopOptions {
  /** What the pages of the sandbox call it, such as the name of the test. */
  readonly name?: string | undefined
  /** How long the sandbox lasts; a day unless given. */
  readonly lifetimeSeconds?: number | undefined
  /** Names of headers, parameters and fields whose values are not recorded, in addition to the usual ones such as `token`. */
  readonly redact?: readonly string[] | undefined
  /** The host; the variable `PETSTORE_SANDBOX_URL` unless given, or one that is started for this process. */
  readonly host?: string | undefined
}

interface CreatedSandbox {
  readonly id: string
  readonly url: string
  readonly apiKey: string
  readonly seed: string
  readonly expiresAt: string
}

/** Creates a private shop for tests. End it with `end`; otherwise it ends with its host or after its lifetime. */
export async function startSandbox({ host: given, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  const host = await findHost(given)
  return new Sandbox(host, await host.call<CreatedSandbox>('POST', `${host.url}/sandboxes`, options))
}

/** A private shop with its own data, clock and faults, which records what it receives. */
export class Sandbox {
  readonly id: string
  /** The base address of the shop. */
  readonly url: string
  readonly #host: Host
  #shop: Pick<CreatedSandbox, 'apiKey' | 'seed'>
  /** Settles when all faults that were asked for are set. */
  #faultsSet: Promise<unknown> = Promise.resolve()

  constructor(host: Host, created: CreatedSandbox) {
    this.id = created.id
    this.url = created.url
    this.#host = host
    this.#shop = created
  }

  /** Its administrator key. A reset with another seed changes it. */
  get apiKey(): string {
    return this.#shop.apiKey
  }

  get seed(): string {
    return this.#shop.seed
  }

  /** A client of the shop with its administrator key. */
  client(options: PetStoreOptions = {}): PetStore {
    return new PetStore({ baseUrl: this.url, apiKey: this.apiKey, ...options })
  }

  /** The time of the shop, and whether it stands still. */
  clock(): Promise<Clock> {
    return this.#call('GET', 'clock')
  }

  /** Moves the clock ahead, by `1 day` or `2 hours 30 minutes`: windows roll, keys expire, webhooks are retried. */
  advance(by: string): Promise<Clock> {
    return this.#call('PUT', 'clock', { advanceSeconds: parseSeconds(by) })
  }

  /** Sets the clock to a later time. */
  setTime(at: Date): Promise<Clock> {
    return this.#call('PUT', 'clock', { at: at.toISOString() })
  }

  /** Stops the clock; `freeze(false)` lets it run again. */
  freeze(frozen = true): Promise<Clock> {
    return this.#call('PUT', 'clock', { frozen })
  }

  /** Makes an operation fail: `fail('placeOrder', 'unavailable', { times: 2 })`. Adds to the faults that are set. */
  fail(where: string | FaultTarget, fault: FaultKind, options: FaultOptions = {}): Promise<void> {
    const target = typeof where === 'string' ? { operation: where } : where
    return this.#setFaults(async () => {
      // Faults that will not happen again would fill the list.
      const left = (await this.faults()).filter(({ times }) => times !== 0)
      return [...left, { ...target, fault, ...options }]
    })
  }

  /** The faults that are set, with how often each will still happen. */
  async faults(): Promise<readonly Fault[]> {
    return (await this.#call<{ rules: readonly Fault[] }>('GET', 'faults')).rules
  }

  /** Removes all faults. */
  heal(): Promise<void> {
    return this.#setFaults(async () => [])
  }

  /** What the shop received, newest first. */
  async requests(): Promise<readonly RecordedRequest[]> {
    return (await this.#call<{ data: readonly RecordedRequest[] }>('GET', 'requests')).data
  }

  /** How the client behaved so far, one result for each rule. */
  report(): Promise<Report> {
    return this.#call('GET', 'report')
  }

  /** Sends a webhook a message with a wrong signature; resolves to the status of the receiver's response. */
  async forge(webhookId: number): Promise<number | null> {
    return (await this.#call<{ status: number | null }>('POST', 'forge', { webhookId })).status
  }

  /** Returns to the initial state: data, keys, clock, faults and recorded requests. */
  async reset(options: ShopOptions = {}): Promise<void> {
    this.#shop = await this.#call<CreatedSandbox>('POST', 'reset', options)
  }

  /** Keeps everything as it is now: data, keys, clock, faults and recorded requests. At most ten. */
  snapshot(): Promise<Snapshot> {
    return this.#call('POST', 'snapshots', {})
  }

  /** The snapshots that exist, with their ids. */
  async snapshots(): Promise<readonly Snapshot[]> {
    return (await this.#call<{ data: readonly Snapshot[] }>('GET', 'snapshots')).data
  }

  /** Goes back to a snapshot. */
  async restore({ id }: Pick<Snapshot, 'id'>): Promise<void> {
    this.#shop = await this.#call<CreatedSandbox>('POST', `snapshots/${id}/restore`, {})
  }

  /** Deletes a snapshot, which makes room for another. */
  async deleteSnapshot({ id }: Pick<Snapshot, 'id'>): Promise<void> {
    await this.#call('DELETE', `snapshots/${id}`)
  }

  /** Ends the sandbox, with all of its data. */
  async end(): Promise<void> {
    await this.#host.call('DELETE', `${this.#host.url}/sandboxes/${this.id}`)
  }

  /** Replaces the faults, one call after the other: each adds to what the one before has set. */
  #setFaults(rulesNow: () => Promise<readonly Fault[]>): Promise<void> {
    const set = this.#faultsSet.then(async () => {
      await this.#call('PUT', 'faults', { rules: await rulesNow() })
    })
    this.#faultsSet = set.catch(() => undefined)
    return set
  }

  #call<T>(method: string, path: string, body?: object): Promise<T> {
    return this.#host.call(method, `${this.url}/_sandbox/${path}`, body)
  }
}
