import type { z } from 'zod'
import type { Database, Transaction } from '../db/database.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Limits } from '../lib/limits.ts'
import type { ErrorCode } from './errors.ts'
import type { Tagged } from './etag.ts'
import type { Scope } from './scopes.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface AnswerSpec {
  readonly description: string
  readonly body?: z.ZodType
  /** The media type, where it is not JSON: the handler then answers with the body as it is sent. */
  readonly type?: string
}

export interface Deprecation {
  /** The first day on which it was deprecated, and the last on which it answers (UTC dates). */
  readonly since: string
  readonly sunset: string
  /** Path of the operation that replaces it, with the same parameters. */
  readonly successor: string
}

/** Everything a client may know of an operation, once. Route, validation, types and description are made from it. */
export interface Operation<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends Record<number, AnswerSpec> = Record<number, AnswerSpec>,
> {
  readonly id: string
  readonly method: Method
  readonly path: `/${string}`
  /** The SDK method; `bodyField` if it takes one field of the body instead of the whole. */
  readonly sdk: string | { readonly call: string; readonly bodyField: string }
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Absent: any valid key will do. */
  readonly scope?: Scope
  /** A scope that will do instead; what it allows is up to the handler. */
  readonly orScope?: Scope
  /** `own`: has a meter of its own, costs no quota and works while the key is banned. */
  readonly meter?: 'own'
  /** `items`: the body is a list, and each of its items counts as a request. `work`: the route says how many requests it costs. */
  readonly costs?: 'items' | 'work'
  readonly stability?: 'experimental' | 'beta'
  readonly deprecation?: Deprecation
  /** The interactive reference offers no try-it panel. */
  readonly hideTryIt?: true
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly answers: A
  /** Parameters of the example, where those of the shapes do not fit: what is deleted should not be what is read later. */
  readonly exampleParams?: Readonly<Record<string, unknown>>
  /** Errors beyond those that follow from the rest of the definition (see `possibleErrors`). */
  readonly errors?: readonly ErrorCode[]
  /** The answer is one resource: it carries an ETag, and writes honour If-Match. */
  readonly etag?: Tagged
  /** Field of the answer that is a secret: stored only for an Idempotency-Key, and then sealed. */
  readonly secretField?: string
}

export function defineOperation<
  const A extends Record<number, AnswerSpec>,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(spec: Operation<P, Q, B, A>): Operation<P, Q, B, A> {
  return spec
}

export interface Caller {
  readonly keyId: number
  readonly scopes: ReadonlySet<Scope>
}

/** A caller as the gate let it in. */
export interface Admitted extends Caller {
  readonly plan: string
  readonly limits: Limits
  /** The last one, which may be over. */
  readonly ban: { readonly until: number; readonly level: number } | undefined
}

/** Who asks for something, when, and which state it is meant for. */
export interface Call {
  readonly caller: Caller
  /** By the service's clock. */
  readonly now: number
  /** Refuses the change when it was meant for another state than this (undefined: the resource does not exist). */
  readonly mustMatch: (state: unknown) => void
}

/** A call that is meant for whatever state there is. */
export const unconditional = (caller: Caller, now: number): Call => ({ caller, now, mustMatch: () => undefined })

export interface Input<P = unknown, Q = unknown, B = unknown> extends Call {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly caller: Admitted
  /** What the caller's windows had admitted when it was let in, this call included where it counts in them. */
  readonly used: { readonly minute: number; readonly day: number }
  /** How many requests the call counts as. */
  readonly paid: number
  /** There where the answer is a stream. */
  readonly stream?: StreamInput
}

/** What a stream has to know besides. */
export interface StreamInput {
  /** Who calls, asked again and again: refuses a key that may not do this any more. */
  readonly again: () => Promise<Admitted>
  /** Where one that was interrupted goes on. */
  readonly lastEventId: string | undefined
}

type BodyOf<Spec> = Spec extends { body: infer S extends z.ZodType } ? z.output<S> : undefined

/** Where to read on in a list without an end: `next` when there may be more now, `monitor` to ask later. */
interface GoOn {
  readonly rel: 'next' | 'monitor'
  readonly after: string
}

/** What a handler answers: one of the declared statuses with that status's body. */
type Reply<A> = {
  [S in keyof A & number]: { status: S; body: BodyOf<A[S]>; location?: string; nextCursor?: string; goOn?: GoOn }
}[keyof A & number]

type InputOf<O> =
  O extends Operation<infer P, infer Q, infer B, infer _A> ? Input<z.output<P>, z.output<Q>, z.output<B>> : never

type ReplyOf<O> = O extends Operation<infer _P, infer _Q, infer _B, infer A> ? Reply<A> : never

export interface AnyReply {
  readonly status: number
  readonly body: unknown
  readonly location?: string
  readonly nextCursor?: string
  readonly goOn?: GoOn
}

/** An answer's body as it is tagged: without what is shown only once. */
export const withoutSecret = (body: unknown, secretField: string | undefined): unknown =>
  secretField === undefined ? body : { ...(body as object), [secretField]: undefined }

/** An operation with its handler. Writes run in one transaction, which also keeps the answer for an Idempotency-Key. */
export type Route =
  | { operation: Operation; kind: 'read'; handle: (db: Database, input: Input) => Awaitable<AnyReply> }
  | {
      operation: Operation
      kind: 'write'
      handle: (tx: Transaction, input: Input) => Awaitable<AnyReply>
      /** How many requests a call costs, where that depends on what it finds; asked before it is charged and handled. */
      cost?: (db: Database, input: Input) => Awaitable<number>
    }

export function read<O extends Operation<never, never, never, never> | Operation>(
  operation: O,
  handle: (db: Database, input: InputOf<O>) => Awaitable<ReplyOf<O>>,
): Route {
  return { operation, kind: 'read', handle } as unknown as Route
}

export function write<O extends Operation<never, never, never, never> | Operation>(
  operation: O,
  handle: (tx: Transaction, input: InputOf<O>) => Awaitable<ReplyOf<O>>,
  cost?: (db: Database, input: InputOf<O>) => Awaitable<number>,
): Route {
  return { operation, kind: 'write', handle, ...(cost && { cost }) } as unknown as Route
}

export const ok = <B>(body: B) => ({ status: 200 as const, body })
export const created = <B>(body: B, location: string) => ({ status: 201 as const, body, location })
export const accepted = <B>(body: B) => ({ status: 202 as const, body })
export const noContent = () => ({ status: 204 as const, body: undefined })
