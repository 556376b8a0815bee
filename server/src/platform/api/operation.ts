import type { z } from 'zod'
import type { Database, FirstStep, Transaction } from '../db/database.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Limits } from '../lib/limits.ts'
import { type Random, systemRandom } from '../lib/random.ts'
import { ApiError, apiErrors, type ErrorKind } from './errors.ts'
import type { EtagScope } from './etag.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface ResponseSpec {
  readonly description: string
  readonly body?: z.ZodType
  /** The media type if it is not JSON: the handler then returns the body as it is sent. */
  readonly type?: string
}

export interface Deprecation {
  /** The first day of its deprecation, and the last day on which it works (UTC dates). */
  readonly since: string
  readonly sunset: string
  /** The path of its replacement, with the same parameters. */
  readonly successor: string
}

/** The definition of an operation. Its route, validation, types and description are derived from it. */
export interface Operation<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends Record<number, ResponseSpec> = Record<number, ResponseSpec>,
> {
  readonly id: string
  readonly method: Method
  readonly path: `/${string}`
  /** The SDK method, if there is an SDK. */
  readonly sdk?: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Absent: any valid key may call it. */
  readonly scope?: Scope
  /** A scope that is accepted instead; the handler decides what it allows. */
  readonly orScope?: Scope
  /** A separate meter: costs no quota and works while the key is banned. `own`: GET /limits. `messages`: messages of agents. */
  readonly meter?: 'own' | 'messages'
  /** `items`: the body is a list, and each item counts as a request. `work`: the route computes how many requests it costs. */
  readonly costs?: 'items' | 'work'
  /** Set if it is not stable, with the reason that clients read. */
  readonly stability?: { readonly level: 'experimental' | 'beta'; readonly reason: string }
  readonly deprecation?: Deprecation
  /** An operation that accepts everything this one does, and more: agents get its tool instead. */
  readonly coveredBy?: string
  /** The name of its tool, if it does not follow from the id. */
  readonly tool?: string
  /** Hides the try-it panel in the interactive reference. */
  readonly hideTryIt?: true
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly responses: A
  /** Example parameters, if those of the shapes do not fit: an example must not delete what a later one reads. */
  readonly exampleParams?: Readonly<Record<string, unknown>>
  /** Errors beyond those that follow from the rest of the definition (see `traitsOf`). */
  readonly errors?: readonly ErrorKind[]
  /** The response is one resource: it has an ETag, and writes honour If-Match. */
  readonly etag?: EtagScope
  /** Honours If-Match for a resource that it acts on but neither returns nor changes: what that resource's ETag covers. */
  readonly ifMatch?: EtagScope
  /** The field of the response that is a secret. It is stored only for an Idempotency-Key, and encrypted. */
  readonly secretField?: string
  /** What the service sends later: the name of a union of events, and where they are sent. */
  readonly sends?: { readonly union: string; readonly to: string }
}

export function defineOperation<
  const A extends Record<number, ResponseSpec>,
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

/** A caller that the gate admitted. */
export interface AdmittedCaller extends Caller {
  readonly plan: string
  readonly limits: Limits
  /** The last ban, which may have ended. */
  readonly ban: { readonly until: number; readonly level: number } | undefined
}

/** Who makes a change, and when; no caller if the service does. */
export interface Origin {
  readonly now: number
  readonly caller?: Pick<Caller, 'keyId'>
}

/** Who calls, when, and for which state of the resource. */
export interface Call {
  readonly caller: Caller
  /** The time by the service's clock. */
  readonly now: number
  /** Where new secrets and ids come from. */
  readonly random: Random
  /** Throws if the request was meant for a state other than these. undefined: the resource does not exist; null: it has no ETag. */
  readonly mustMatch: (state: unknown, ...others: readonly unknown[]) => void
}

/** A call for any state of the resource. */
export const unconditional = (caller: Caller, now: number): Call => ({
  caller,
  now,
  random: systemRandom,
  mustMatch: () => undefined,
})

export interface Input<P = unknown, Q = unknown, B = unknown> extends Call {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly caller: AdmittedCaller
  /** What the caller's windows have admitted, including this call if it counts in them. */
  readonly used: { readonly minute: number; readonly day: number }
  /** How many requests the call counts as. */
  readonly paid: number
  /** Set if the response is a stream. */
  readonly stream?: StreamInput
}

/** What a stream needs in addition. */
export interface StreamInput {
  /** Reads the caller again. Throws if its key may no longer do this. */
  readonly confirmCaller: () => Promise<AdmittedCaller>
  /** Where an interrupted stream continues. */
  readonly lastEventId: string | undefined
}

type BodyOf<Spec> = Spec extends { body: infer S extends z.ZodType } ? z.output<S> : undefined

/** What a handler returns: one of the declared statuses with the body of that status. */
type Reply<A> = {
  [S in keyof A & number]: {
    status: S
    body: BodyOf<A[S]>
    location?: string
    nextCursor?: string
    /** Where an endless list continues later: `after` this. */
    monitorAfter?: string
  }
}[keyof A & number]

type InputOf<O> =
  O extends Operation<infer P, infer Q, infer B, infer _A> ? Input<z.output<P>, z.output<Q>, z.output<B>> : never

type ReplyOf<O> = O extends Operation<infer _P, infer _Q, infer _B, infer A> ? Reply<A> : never

export interface AnyReply {
  readonly status: number
  readonly body: unknown
  readonly location?: string
  readonly nextCursor?: string
  readonly monitorAfter?: string
}

/** The body that the ETag covers: without the secret, which is shown only once. */
export const withoutSecret = (body: unknown, secretField: string | undefined): unknown =>
  secretField === undefined ? body : { ...(body as object), [secretField]: undefined }

/** An operation with its handler. A write runs in one transaction, which also stores the response for an Idempotency-Key. */
export type Route =
  | { operation: Operation; kind: 'read'; handle: (db: Database, input: Input) => Awaitable<AnyReply> }
  | {
      operation: Operation
      kind: 'write'
      handle: (tx: Transaction, input: Input) => Awaitable<AnyReply>
      /** How many requests a call costs, if that depends on data. Called before it is charged and handled. */
      cost?: (db: Database, input: Input) => Awaitable<number>
      /** What the transaction does first, if many may run at the same time: then they can share one. */
      first?: (input: Input) => FirstStep
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
  more: {
    readonly cost?: (db: Database, input: InputOf<O>) => Awaitable<number>
    readonly first?: (input: InputOf<O>) => FirstStep
  } = {},
): Route {
  return { operation, kind: 'write', handle, ...more } as unknown as Route
}

export const ok = <B>(body: B) => ({ status: 200 as const, body })
export const created = <B>(body: B, location: string) => ({ status: 201 as const, body, location })
export const accepted = <B>(body: B) => ({ status: 202 as const, body })
export const noContent = () => ({ status: 204 as const, body: undefined })

/** The name of a permission. Features declare theirs, with what each allows a key to do. */
export type Scope = string

interface RequiredScope {
  readonly scope?: Scope
  readonly orScope?: Scope
}

/** Whether these scopes include one of the operation's. */
export const hasScope = ({ scope, orScope }: RequiredScope, scopes: ReadonlySet<Scope>): boolean =>
  !scope || scopes.has(scope) || (orScope !== undefined && scopes.has(orScope))

/** Throws if the caller has neither of the operation's scopes. */
export function mustHaveScope(required: RequiredScope, scopes: ReadonlySet<Scope>): void {
  if (hasScope(required, scopes)) return
  const names = [required.scope, required.orScope].filter(Boolean).map((scope) => `\`${scope}\``)
  throw lacksScope(`${names.join(' or ')}, which this operation requires`)
}

/** The key lacks a scope: which one, and for what. */
export const lacksScope = (scope: string): ApiError =>
  new ApiError(apiErrors.insufficient_scope, `This key lacks the scope ${scope}.`)
