import { Call, type CallContext, type PathParams } from '../pipeline.ts'
import { readBody } from './body.ts'
import { type GivenHeaders, headersOf, queryOf, requestIdOf } from './head.ts'

/** Looks up the address of the other end of the socket. */
export interface PeerAddresses {
  requestIP(request: Request): { readonly address: string } | null
}

/** One HTTP request with its response. */
export class Exchange extends Call {
  readonly headers: GivenHeaders
  readonly url: string
  /** The body, once it was read, even if it was then rejected. */
  bodyText: string | undefined
  /** The body of the response, unless it has none or is a stream. */
  responseText: string | undefined

  constructor(
    readonly request: Request,
    params: PathParams,
    private readonly peers: PeerAddresses,
    context: CallContext,
    private readonly bodyTypes: readonly string[] = [],
  ) {
    const headers = headersOf(request)
    super(requestIdOf(headers, context.random), params, context)
    this.headers = headers
    this.url = request.url
  }

  get method(): string {
    return this.request.method
  }
  get apiKey(): string | undefined {
    return this.headers['x-api-key']
  }
  get authorization(): string | undefined {
    return this.headers.authorization
  }
  get traceparent(): string | undefined {
    return this.headers.traceparent
  }
  get prefer(): string | undefined {
    return this.headers.prefer
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
  /** The connection was closed: by the client, or by the listener because what follows the request is not HTTP. */
  get isAbandoned(): boolean {
    return this.request.signal.aborted
  }

  address(): string {
    const peer = this.peers.requestIP(this.request)?.address ?? ''
    return this.context.addressOf(peer, this.headers['x-forwarded-for'])
  }

  body(): Promise<string> {
    return readBody(this, this.bodyTypes, (text) => {
      this.bodyText = text
    })
  }
}
