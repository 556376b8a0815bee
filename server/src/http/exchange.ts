import type { Entry, Gate, Incoming } from '../access/entry.ts'
import { sealingKeyOf } from '../access/sealing-key.ts'
import type { Outcome } from '../api/idempotency.ts'
import type { Invocation } from '../api/invoke.ts'
import type { Admitted, Operation } from '../api/operation.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import { readBody } from './body.ts'
import { type GivenHeaders, headersOf, requestIdOf } from './head.ts'
import { queryOf } from './query.ts'

/** Parameters as they were written in the path. */
export type PathParams = Readonly<Record<string, string>>

/** Whoever knows the address of the other end of the socket. */
export interface Peers {
  requestIP(request: Request): { readonly address: string } | null
}

/** What the requests for an operation, or for a path that is none, have in common. */
export interface Way {
  readonly operation: Operation | undefined
  readonly bodyTypes: readonly string[]
  readonly gate: Gate
  readonly clock: Clock
  /** The address a request is metered by: the peer's, or one that a trusted proxy tells. */
  readonly addressOf: (peer: string, forwardedFor: string | undefined) => string
}

/** A request under way: the one object that every stage uses. What a request may not need is looked up when it is asked for. */
export class Exchange implements Incoming, Invocation {
  /** By `performance.now()`. */
  readonly started = performance.now()
  readonly headers: GivenHeaders
  readonly url: string
  readonly requestId: string
  readonly now: number
  entry: Entry | undefined
  /** Whether the gate had to be waited for, so that the key may have changed since it was looked up. */
  hasWaited = false
  /** What was begun before the gate had decided. */
  begun: Promise<Outcome> | undefined
  admission: Promise<void> | undefined

  constructor(
    readonly request: Request,
    readonly params: PathParams,
    private readonly peers: Peers,
    private readonly way: Way,
  ) {
    this.headers = headersOf(request)
    this.url = request.url
    this.requestId = requestIdOf(this.headers)
    this.now = way.clock.now()
  }

  get operation(): Operation | undefined {
    return this.way.operation
  }
  get apiKey(): string | undefined {
    return this.headers['x-api-key']
  }
  get authorization(): string | undefined {
    return this.headers.authorization
  }
  get ifMatch(): string | undefined {
    return this.headers['if-match']
  }
  get ifNoneMatch(): string | undefined {
    return this.headers['if-none-match']
  }
  get idempotencyKey(): string | undefined {
    return this.headers['idempotency-key']
  }
  get lastEventId(): string | undefined {
    return this.headers['last-event-id']
  }
  get query(): Record<string, string | string[]> | undefined {
    return this.url.includes('?') ? queryOf(this.url) : undefined
  }
  /** Begun, and then not let in: nobody waits any more for what it does. */
  get isGivenUp(): boolean {
    return this.begun !== undefined && this.entry?.refusal !== undefined
  }
  get caller(): Admitted {
    return this.admitted.key as Admitted
  }
  get used(): Entry['used'] {
    return this.admitted.usedByKey ?? this.admitted.used
  }

  address(): string {
    const peer = this.peers.requestIP(this.request)?.address ?? ''
    return this.way.addressOf(peer, this.headers['x-forwarded-for'])
  }

  /** Begins the work as if the gate had let it in. What comes of it, a refusal too, is for when it has. */
  begin(expected: Entry, decided: Promise<Entry>, work: (exchange: Exchange) => Awaitable<Outcome>): void {
    this.entry = expected
    this.admission = decided.then(mustBeAdmitted)
    this.admission.catch(() => undefined)
    this.begun = Promise.try(work, this)
    this.begun.catch(() => undefined)
  }

  /** Goes on as the gate has decided. */
  admit(entry: Entry): void {
    this.entry = entry
    mustBeAdmitted(entry)
  }

  confirmed(db: Parameters<Gate['stillAllowed']>[0], now = this.way.clock.now()): Awaitable<Admitted> {
    const { gate, operation } = this.way
    return gate.stillAllowed(db, this.admitted, operation as Operation, now)
  }

  async charge(requests: number): Promise<void> {
    this.admit(await this.way.gate.charge(this.admitted, requests, this.now))
  }

  /** The connection is closed: by the client, or by the listener because what follows the request is not HTTP. */
  get isAbandoned(): boolean {
    return this.request.signal.aborted
  }

  sealingKey(idempotencyKey: string): Uint8Array {
    return sealingKeyOf(this.admitted.key as NonNullable<Entry['key']>, idempotencyKey)
  }

  body(): Promise<string> {
    return readBody(this, this.way.bodyTypes)
  }

  private get admitted(): Entry {
    return this.entry as Entry
  }
}

function mustBeAdmitted({ refusal }: Entry): void {
  if (refusal) throw refusal
}
