import type { Scope } from './scopes.ts'
import {
  answersKeptHours,
  bodyKibMax,
  bodyValuesMax,
  faultsNamedMax,
  headersKibMax,
  nestingMax,
  urlKibMax,
} from './sizes.ts'

// The one error catalogue: what the service throws, what the description lists and what /errors shows.

interface Kind {
  readonly status: number
  /** What happened. */
  readonly title: string
  /** What the client can do about it. */
  readonly advice: string
}

export const errorCatalogue = {
  validation_failed: {
    status: 400,
    title: 'The request does not have the described form.',
    advice: `The field \`errors\` names every fault with its place, up to ${faultsNamedMax}. Correct them all and send the request again.`,
  },
  malformed_json: {
    status: 400,
    title: 'The body is not JSON that can be read.',
    advice: `Send UTF-8 JSON, nested at most ${nestingMax} deep, with at most ${bodyValuesMax} names and values. An empty body is not JSON.`,
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not one this list gave, or it belongs to another sort or other filters.',
    advice:
      'Take the `cursor` from the `Link` header of the previous page and keep `sort` and the filters as they were.',
  },
  missing_api_key: {
    status: 401,
    title: 'The request carries no API key.',
    advice: 'Send the key in the header `X-API-Key`, or as `Authorization: Bearer <key>`.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is mistyped, unknown, expired or revoked.',
    advice: 'Check the key for a typo; ask an administrator for a new one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key is valid but lacks the scope of this operation.',
    advice: "The operation's scope is in the description as `x-required-scope`. Ask for a key that has it.",
  },
  route_not_found: {
    status: 404,
    title: 'No operation has this path.',
    advice: 'Compare the path with the description at /openapi.json.',
  },
  pet_not_found: { status: 404, title: 'There is no pet with this id.', advice: 'List the pets to find its id.' },
  category_not_found: {
    status: 404,
    title: 'There is no category with this id.',
    advice: 'List the categories to find its id.',
  },
  order_not_found: {
    status: 404,
    title: 'There is no order with this id among those you may see.',
    advice: 'List your orders to find its id. Orders belong to the key that placed them.',
  },
  inventory_not_found: {
    status: 404,
    title: 'The pet has no inventory entry.',
    advice: 'Make one with PUT /store/inventory/{petId}.',
  },
  key_not_found: { status: 404, title: 'There is no API key with this id.', advice: 'List the keys to find its id.' },
  webhook_not_found: {
    status: 404,
    title: 'There is no webhook with this id among your own.',
    advice: 'List your webhooks to find its id. Webhooks belong to the key that made them.',
  },
  delivery_not_found: {
    status: 404,
    title: 'The webhook has no delivery with this id.',
    advice: 'List the deliveries of the webhook to find its id. They are kept for 30 days.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path exists, but not with this method.',
    advice: 'The header `Allow` lists the methods there are.',
  },
  not_acceptable: {
    status: 406,
    title: 'The answer exists only as JSON, which the `Accept` header refuses.',
    advice: 'Accept `application/json`, or leave the header out.',
  },
  insufficient_stock: {
    status: 409,
    title: 'There is less in stock than the request would take.',
    advice: 'Ask for less, or wait until more has come in.',
  },
  pet_not_available: {
    status: 409,
    title: 'The pet is pending or sold and cannot be ordered.',
    advice: 'Order another pet, or wait until this one is available again.',
  },
  pet_has_open_orders: {
    status: 409,
    title: 'The pet has open orders.',
    advice: 'Complete or cancel them first.',
  },
  order_complete: {
    status: 409,
    title: 'The order is complete; it changes and cancels no more.',
    advice: 'Place a new order instead.',
  },
  last_admin_key: {
    status: 409,
    title: 'Nobody could manage keys any more, or not for as long as now.',
    advice: 'First create another key with `keys:manage` that lasts as long as this one.',
  },
  category_in_use: {
    status: 409,
    title: 'The category still has pets in it.',
    advice: 'Move or delete its pets first.',
  },
  invalid_status_transition: {
    status: 409,
    title: 'The pet cannot go from its status to the one asked for.',
    advice: 'A pet with nothing in stock cannot be made available, and a sold pet cannot be made pending.',
  },
  webhook_inactive: {
    status: 409,
    title: 'The webhook is not active, so nothing is sent to it.',
    advice: 'Switch it on with PATCH `{"active": true}` first. `disabledReason` says why it was switched off.',
  },
  webhook_backlog_full: {
    status: 409,
    title: 'So many deliveries wait for the webhook that no more may be added.',
    advice: 'Wait until some are delivered or given up. What happens meanwhile is kept and sent when there is room.',
  },
  webhook_limit_reached: {
    status: 409,
    title: 'The key has as many webhooks as a key may have.',
    advice: 'Delete one that you do not need, or have one webhook ask for several types of events.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with the same Idempotency-Key is still being worked on.',
    advice: 'Wait a moment and send the same request again; you will get its answer.',
  },
  too_many_streams: {
    status: 409,
    title: 'The key has as many streams open as it may have.',
    advice: 'Close a stream, or follow several types of events with one.',
  },
  events_pruned: {
    status: 410,
    title: 'Events that come right after this one are not kept any more.',
    advice:
      'Something was missed. Read the resources as they now are, and then events from `after=latest` or, without `after`, from the oldest that is kept.',
  },
  operation_sunset: {
    status: 410,
    title: 'The operation was deprecated and its sunset date has passed.',
    advice: 'Use the successor named in the `Link` header with `rel="successor-version"`.',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource has changed since you read it: its ETag is not the one in `If-Match`.',
    advice: 'Read it again, apply your change to what you get, and send it with the new ETag.',
  },
  body_too_large: {
    status: 413,
    title: `The body is larger than ${bodyKibMax} KiB.`,
    advice: 'Send less at once.',
  },
  uri_too_long: {
    status: 414,
    title: `The address is longer than ${urlKibMax} KiB.`,
    advice: 'Shorten the query string.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not declared as JSON.',
    advice: 'Send `Content-Type: application/json` (on PATCH `application/merge-patch+json` will do too), unencoded.',
  },
  unknown_category: {
    status: 422,
    title: 'The body names a category that does not exist.',
    advice: 'Create the category first, or name one that exists.',
  },
  unknown_pet: {
    status: 422,
    title: 'The body names a pet that does not exist.',
    advice: 'List the pets to find one that exists.',
  },
  idempotency_key_reused: {
    status: 422,
    title: `This Idempotency-Key was used for another request within the last ${answersKeptHours} hours.`,
    advice: 'Make a new key for each new request; repeat a key only with the same path and body.',
  },
  rate_limited: {
    status: 429,
    title: 'The requests of this minute are used up.',
    advice: 'Wait as many seconds as `Retry-After` says. Requests sent before that count towards a temporary ban.',
  },
  quota_exhausted: {
    status: 429,
    title: 'The requests of this day are used up.',
    advice: 'Wait as many seconds as `Retry-After` says (midnight UTC), or move to a higher plan.',
  },
  key_banned: {
    status: 429,
    title: 'The API key is banned for a while because it kept sending requests after 429.',
    advice: 'Wait as many seconds as `Retry-After` says. GET /limits shows the ban and costs nothing.',
  },
  headers_too_large: {
    status: 431,
    title: `The request headers are larger than ${headersKibMax} KiB.`,
    advice: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed in a way it should not.',
    advice: 'Report it with the `requestId`. Sending the request again is safe with an Idempotency-Key.',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot do this just now. Nothing was done.',
    advice:
      'Send the request again after the seconds in `Retry-After`. Nothing was done unless the message says that nobody knows; an Idempotency-Key makes a repetition safe even then.',
  },
} as const satisfies Record<string, Kind>

export type ErrorCode = keyof typeof errorCatalogue

export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header'
  /** A JSON pointer into the body, or the parameter's name behind a slash. */
  readonly path: string
  readonly message: string
}

/** An error that a client is told of. Anything else that is thrown becomes `internal_error`. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = errorCatalogue[code].title,
    readonly more: { faults?: Fault[]; headers?: Record<string, string> } = {},
  ) {
    // Nobody reads the trace of a refusal, and taking it down is a twentieth of what a refused request costs.
    const traced = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = traced
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** Refuses a caller that has neither of an operation's scopes. */
export function mustHaveScope(
  { scope, orScope }: { readonly scope?: Scope; readonly orScope?: Scope },
  scopes: ReadonlySet<Scope>,
): void {
  if (!scope || scopes.has(scope) || (orScope && scopes.has(orScope))) return
  throw new ApiError('insufficient_scope', `This operation needs the scope ${scope}.`)
}

/** Items of a batch name what does not exist: each is told by its place. */
export function unknownInBatch(code: 'unknown_category' | 'unknown_pet', faults: Fault[]): ApiError {
  const [first] = faults
  const others = faults.length > 1 ? ` ${faults.length - 1} more.` : ''
  return new ApiError(code, `${first?.path}: ${first?.message}.${others} Nothing was done.`, {
    faults: faults.slice(0, faultsNamedMax),
  })
}

export function validationFailed(faults: Fault[]): ApiError {
  const what = faults.length === 1 ? 'One fault' : `${faults.length} faults`
  const [first] = faults
  const where = [first?.in, first?.path].filter(Boolean).join(' ')
  const unnamed = faults.length - faultsNamedMax
  const more = unnamed > 0 ? ` ${unnamed} more are not listed.` : ''
  return new ApiError('validation_failed', `${what}: ${where} ${first?.message}.${more}`, {
    faults: faults.slice(0, faultsNamedMax),
  })
}
