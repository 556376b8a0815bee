import { z } from 'zod'
import { validationFailed } from '../../platform/api/errors.ts'
import type { Operation } from '../../platform/api/operation.ts'
import { traitsOf } from '../../platform/api/traits.ts'
import type { Exchange } from '../http/request.ts'
import { Call, type CallContext } from '../pipeline.ts'
import { itemsArgument } from './tool-schemas.ts'

/** A tool's arguments as the parts of a request. */
interface RequestParts {
  readonly params: Readonly<Record<string, string>>
  /** Throws if a value has no text form. */
  readonly query: () => Record<string, string | string[]> | undefined
  readonly body: string
  /** Throws if it is given, but no text. */
  readonly ifMatch: () => string | undefined
  /** Throws if it is given, but no text. */
  readonly idempotencyKey: () => string | undefined
}

/** The call of a tool: its input is the tool's arguments, and its caller that of the message which contains it. */
export class ToolCall extends Call {
  constructor(
    private readonly message: Exchange,
    private readonly parts: RequestParts,
    context: CallContext,
  ) {
    super(message.requestId, parts.params, context)
  }

  get method(): string {
    return this.message.method
  }
  get headers(): Exchange['headers'] {
    return this.message.headers
  }
  get apiKey(): string | undefined {
    return this.message.apiKey
  }
  get authorization(): string | undefined {
    return this.message.authorization
  }
  get traceparent(): string | undefined {
    return this.message.traceparent
  }
  get prefer(): string | undefined {
    return this.message.prefer
  }
  get ifMatch(): string | undefined {
    return this.parts.ifMatch()
  }
  get ifNoneMatch(): undefined {
    return undefined
  }
  get idempotencyKey(): string | undefined {
    return this.parts.idempotencyKey()
  }
  get lastEventId(): undefined {
    return undefined
  }
  get query(): Record<string, string | string[]> | undefined {
    return this.parts.query()
  }
  get isAbandoned(): boolean {
    return this.message.isAbandoned
  }

  address(): string {
    return this.message.address()
  }

  body(): Promise<string> {
    return Promise.resolve(this.parts.body)
  }
}

declare global {
  interface JSON {
    /** Part of ECMAScript 2026, which TypeScript does not know yet. */
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

type Arguments = Readonly<Record<string, unknown>>

/** Returns a function that sorts a tool's arguments into path, query, body and conditions. The operation's own validation checks them. */
export function createSplitter(operation: Operation): (given: Arguments) => RequestParts {
  const { params, query, body } = operation
  const { isBodyOptional } = traitsOf(operation)
  const inPath = fieldsOf(params)
  const inQuery = fieldsOf(query)
  const isList = body instanceof z.ZodArray
  return (given) => {
    const pathParams: Record<string, string> = {}
    const queryValues = emptyRecord()
    const rest = emptyRecord()
    for (const [name, value] of Object.entries(given)) {
      if (name === 'ifMatch' || name === 'idempotencyKey') continue
      // As JSON, what is not an id fails validation as one; a list of one id must not pass for it.
      if (inPath.has(name)) pathParams[name] = isScalar(value) ? String(value) : toJson(value)
      // What belongs nowhere is reported as an unknown parameter, or as an unknown field of the body.
      else if (inQuery.has(name) || body === undefined || (isList && name !== itemsArgument)) queryValues[name] = value
      else rest[name] = value
    }
    const isGiven = Object.keys(rest).length > 0
    return {
      params: pathParams,
      query: () => (Object.keys(queryValues).length > 0 ? toTexts(queryValues) : undefined),
      body: body === undefined || (!isGiven && isBodyOptional) ? '' : toJson(isList ? rest[itemsArgument] : rest),
      ifMatch: () => textOf('If-Match', given.ifMatch),
      idempotencyKey: () => textOf('Idempotency-Key', given.idempotencyKey),
    }
  }
}

const fieldsOf = (shape: Operation['params']): ReadonlySet<string> =>
  new Set(shape instanceof z.ZodObject ? Object.keys(shape.shape) : [])

// No prototype, so that an argument named __proto__ is seen and rejected like any other.
const emptyRecord = (): Record<string, unknown> => Object.create(null)

/** The value of a header; null means that it is absent. */
function textOf(header: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw validationFailed([{ in: 'header', path: `/${header}`, message: 'must be text' }])
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

function toTexts(values: Arguments): Record<string, string | string[]> {
  const texts: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of Object.entries(values)) {
    const items = Array.isArray(value) ? value : [value]
    if (!items.every(isScalar)) {
      const message = 'must be text, a number, true or false, or a list of those'
      throw validationFailed([{ in: 'query', path: `/${name}`, message }])
    }
    texts[name] = Array.isArray(value) ? items.map(String) : String(value)
  }
  return texts
}

/** The same text for the same arguments: a retry with the same idempotencyKey may name them in another order. */
const toJson = (value: unknown): string => JSON.stringify(value ?? null, (_, part) => sorted(exact(part)))

/** Numbers that a double cannot hold were read as BigInt, or as NaN. They are written so that validation sees the same. */
function exact(value: unknown): unknown {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value))
  return Number.isNaN(value) ? JSON.rawJSON('1e999') : value
}

/** An object with its fields in alphabetical order; anything else unchanged. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
