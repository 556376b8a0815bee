import { Exchange, type ExchangeContext, type PeerAddresses } from '../http/exchange.ts'
import type { RequestParts } from './split-arguments.ts'

/** The call of a tool: an exchange whose input is the tool's arguments instead of a path, a query and a body. */
export class ToolExchange extends Exchange {
  constructor(
    request: Request,
    peers: PeerAddresses,
    context: ExchangeContext,
    private readonly parts: RequestParts,
  ) {
    super(request, parts.params, peers, context)
  }

  override get ifMatch(): string | undefined {
    return this.parts.ifMatch()
  }
  override get ifNoneMatch(): undefined {
    return undefined
  }
  override get idempotencyKey(): string | undefined {
    return this.parts.idempotencyKey()
  }
  override get query(): Record<string, string | string[]> | undefined {
    return this.parts.query()
  }

  override body(): Promise<string> {
    return Promise.resolve(this.parts.body)
  }
}
