import type { Admission, Gate, IncomingCall } from '../../platform/access/admission.ts'
import { sealingKeyOf } from '../../platform/access/sealing-key.ts'
import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import type { Invocation } from '../../platform/api/invoke.ts'
import type { AdmittedCaller, Operation } from '../../platform/api/operation.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Random } from '../../platform/lib/random.ts'
import { readBody } from './body.ts'
import { type GivenHeaders, headersOf, queryOf, requestIdOf } from './head.ts'

/** Path parameters as sent. */
export type PathParams = Readonly<Record<string, string>>

/** Looks up the address of the other end of the socket. */
export interface PeerAddresses {
  requestIP(request: Request): { readonly address: string } | null
}

/** What all requests for one operation, or for an unknown path, share. */
export interface ExchangeContext {
  readonly operation: Operation | undefined
  readonly bodyTypes: readonly string[]
  readonly gate: Gate
  readonly clock: Clock
  readonly random: Random
  /** The address that meters a request: the peer's, or the one that a trusted proxy reports. */
  readonly addressOf: (peer: string, forwardedFor: string | undefined) => string
}

/** One HTTP request with its response, used by every stage. Properties that few requests need are computed on access. */
export class Exchange implements IncomingCall, Invocation {
  /** By `performance.now()`. */
  readonly startedAt = performance.now()
  readonly headers: GivenHeaders
  readonly url: string
  readonly requestId: string
  readonly now: number
  admission: Admission | undefined
  /** Whether the request waited for the gate, so that the key may have changed since its lookup. */
  hasWaited = false
  allowed: Promise<void> | undefined
  /** The body, once it was read, even if it was then refused. */
  bodyText: string | undefined
  /** The body of the answer, unless it has none or is a stream. */
  answerText: string | undefined

  constructor(
    readonly request: Request,
    readonly params: PathParams,
    private readonly peers: PeerAddresses,
    private readonly context: ExchangeContext,
  ) {
    this.headers = headersOf(request)
    this.url = request.url
    this.requestId = requestIdOf(this.headers, context.random)
    this.now = context.clock.now()
  }

  get operation(): Operation | undefined {
    return this.context.operation
  }
  get random(): Random {
    return this.context.random
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
  /** Whether work was started early and the call was then refused, so that its result is not used. */
  get isWorkDiscarded(): boolean {
    return this.allowed !== undefined && this.admission?.refusal !== undefined
  }
  get caller(): AdmittedCaller {
    return this.key
  }
  get used(): Admission['used'] {
    return this.currentAdmission.used
  }

  address(): string {
    const peer = this.peers.requestIP(this.request)?.address ?? ''
    return this.context.addressOf(peer, this.headers['x-forwarded-for'])
  }

  /** Assumes an admission until the gate decides. Changes may be kept only after `allowed`. */
  expect(expected: Admission, decision: Promise<Admission>): void {
    this.admission = expected
    this.allowed = decision.then(throwRefusal)
    this.allowed.catch(() => undefined)
  }

  /** Applies the decision of the gate: throws if it refused the call. */
  admit(admission: Admission): void {
    this.admission = admission
    throwRefusal(admission)
  }

  currentTime(): number {
    return this.context.clock.now()
  }

  confirmCaller(db: Parameters<Gate['confirmCaller']>[0], now: number): Awaitable<AdmittedCaller> {
    const { gate, operation } = this.context
    if (!operation) throw new ApiError(apiErrors.route_not_found)
    return gate.confirmCaller(db, this.currentAdmission, operation, now)
  }

  async charge(requests: number): Promise<void> {
    this.admit(await this.context.gate.charge(this.currentAdmission, requests, this.now))
  }

  /** The connection was closed: by the client, or by the listener because what follows the request is not HTTP. */
  get isAbandoned(): boolean {
    return this.request.signal.aborted
  }

  sealingKey(idempotencyKey: string): Uint8Array {
    return sealingKeyOf(this.key, idempotencyKey)
  }

  body(): Promise<string> {
    return readBody(this, this.context.bodyTypes, (text) => {
      this.bodyText = text
    })
  }

  private get currentAdmission(): Admission {
    if (!this.admission) throw new Error('the gate has not been asked yet')
    return this.admission
  }

  private get key(): NonNullable<Admission['key']> {
    const { key } = this.currentAdmission
    if (!key) throw new ApiError(apiErrors.missing_api_key)
    return key
  }
}

function throwRefusal({ refusal }: Admission): void {
  if (refusal) throw refusal
}
