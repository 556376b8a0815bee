import { z } from 'zod'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { waitMsMax } from '../db/line.ts'
import { type Awaitable, after } from '../lib/awaitable.ts'
import { type Id, parseInt64 } from '../lib/int64.ts'
import { ApiError, type Fault, mustHaveScope, validationFailed } from './errors.ts'
import { mustMatch, mustNotExist } from './etag.ts'
import { alone, findReplay, idempotencyKeyOf, type Outcome, once, repeatable } from './idempotency.ts'
import { parseJson } from './json.ts'
import type { Admitted, Input, Operation, Route, StreamInput } from './operation.ts'
import { pathTemplate } from './path-template.ts'
import { joinLists } from './query-lists.ts'
import { type Traits, traitsOf } from './traits.ts'
import { check } from './validate.ts'

/** A call of an operation in plain values, whichever way it came in. */
export interface Invocation {
  readonly caller: Admitted
  readonly used: Input['used']
  /** Who calls, asked where the work begins: the body may have been long in coming, and the key may have changed since. */
  confirmed(db: Queryable, now?: number): Awaitable<Admitted>
  /** Where the call was begun before it was let in: settles with the decision. Nothing that it changes may be kept before. */
  readonly admission: Promise<void> | undefined
  readonly now: number
  /** Whether the key may have changed since it was looked up. */
  readonly hasWaited: boolean
  /** Told how many requests it counts as, where that is not one. Refuses it when there is no room for all of them. */
  charge(requests: number): Promise<void>
  /** As they were written in the path. */
  readonly params: Readonly<Record<string, string>>
  /** As they were written; undefined when there are none. */
  readonly query: Readonly<Record<string, string | string[]>> | undefined
  /** The body as JSON text, '' when there is none. Asked for once it is known that the caller may call. */
  body(): Promise<string>
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly idempotencyKey: string | undefined
  /** A key that only the secret of the caller and this Idempotency-Key make. */
  sealingKey(idempotencyKey: string): Uint8Array
  /** Whether the caller has gone away, so that no answer reaches it. */
  readonly isAbandoned: boolean
  readonly lastEventId: string | undefined
}

/** Does what an invocation asks for. A refusal is thrown, except one that is kept for an Idempotency-Key. */
export type Invoke = (invocation: Invocation) => Awaitable<Outcome>

/** Makes operations callable: checks the call, runs the handler, keeps the answer for an Idempotency-Key. */
export function createInvoker(db: Database): (route: Route) => Invoke {
  const underWay = new Set<string>()

  function reading({ operation, kind, handle }: Route & { kind: 'read' }): Invoke {
    const traits = traitsOf(operation)
    const streamOf = (invocation: Invocation): StreamInput => ({
      again: async () => invocation.confirmed(db.aside),
      lastEventId: invocation.lastEventId,
    })
    const answer = (invocation: Invocation, input: Input) =>
      handle(db, traits.takesLastEventId ? { ...input, stream: streamOf(invocation) } : input)
    const answerLater = async (invocation: Invocation, input: Input) =>
      answer(invocation, calledBy(await invocation.confirmed(db.aside, invocation.now), input))

    return (invocation) => {
      mayCall(operation, traits, invocation)
      mustHaveRoom(operation, kind)
      const input = validated(operation, traits, invocation, '', anyState)
      return invocation.hasWaited ? answerLater(invocation, input) : answer(invocation, input)
    }
  }

  function writing({ operation, kind, handle, cost }: Route & { kind: 'write' }): Invoke {
    const traits = traitsOf(operation)
    const pathOf = pathTemplate(operation.path)
    const matching =
      ({ ifMatch, ifNoneMatch }: Invocation) =>
      (state: unknown) => {
        if (traits.takesIfMatch) mustMatch(ifMatch, state, operation.etag ?? true)
        if (traits.takesIfNoneExists) mustNotExist(ifNoneMatch, state)
      }
    const takesStates = traits.takesIfMatch || traits.takesIfNoneExists
    const act = (tx: Transaction, invocation: Invocation, input: Input) => {
      const caller = invocation.confirmed(tx)
      return caller instanceof Promise ? actLater(tx, caller, input) : handle(tx, calledBy(caller, input))
    }
    const actLater = async (tx: Transaction, caller: Promise<Admitted>, input: Input) =>
      handle(tx, calledBy(await caller, input))

    /** Charges for what a call costs beyond one request. The handler learns what was paid for. */
    const pay = async (invocation: Invocation, input: Input): Promise<Input> => {
      const paid = operation.costs === 'items' ? (input.body as unknown[]).length : await cost?.(db, input)
      if (paid === undefined) return input
      await invocation.charge(paid)
      return { ...input, paid }
    }

    return async (invocation) => {
      mayCall(operation, traits, invocation)
      mustHaveRoom(operation, kind)
      const bodyText = operation.body ? await invocation.body() : ''
      const mustMatch = takesStates ? matching(invocation) : anyState
      const checked = validated(operation, traits, invocation, bodyText, mustMatch)

      const { admission, now } = invocation
      const key = traits.takesIdempotencyKey ? invocation.idempotencyKey : undefined
      const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key)
      if (idempotencyKey === undefined) {
        const input = operation.costs ? await pay(invocation, checked) : checked
        const acting = whileConnected(invocation, (tx) => act(tx, invocation, input))
        return db.transaction(acting, admission)
      }
      const { secretField } = operation
      const repeated = repeatable(
        { keyId: invocation.caller.keyId, idempotencyKey, path: pathOf(invocation.params), body: bodyText },
        secretField === undefined ? undefined : { name: secretField, key: invocation.sealingKey(idempotencyKey) },
      )
      return alone(underWay, repeated, async () => {
        let input = checked
        if (operation.costs) {
          const replayed = await findReplay(db.aside, repeated, now)
          // What was done is not charged again.
          if (replayed) {
            await invocation.confirmed(db.aside)
            return replayed()
          }
          input = await pay(invocation, checked)
        }
        const acting = whileConnected(invocation, async (tx) => {
          const confirmed = calledBy(await invocation.confirmed(tx), input)
          return once(tx, repeated, now, () => handle(tx, confirmed))
        })
        return db.transaction(acting, admission)
      })
    }
  }

  function mustHaveRoom({ meter }: Operation, kind: Route['kind']): void {
    // What is left of a quota can be asked whatever else is going on.
    if (meter !== 'own' && !db.hasRoomFor(kind)) throw crowded()
  }

  return (route) => (route.kind === 'read' ? reading(route) : writing(route))
}

const anyState = () => undefined

/**
 * Keeps nothing of the work for a caller that has gone away before it is done. The listener closes a connection where what follows a
 * request is not HTTP, and answers 400 in our place: that must be true.
 */
function whileConnected<T>(invocation: Invocation, work: (tx: Transaction) => Awaitable<T>) {
  return (tx: Transaction): Awaitable<T> => {
    mustBeConnected(invocation)
    return after(work(tx), (done) => {
      mustBeConnected(invocation)
      return done
    })
  }
}

function mustBeConnected({ isAbandoned }: Invocation): void {
  if (isAbandoned) throw new ApiError('validation_failed', 'The connection was closed, so nothing was done.')
}

/** A key that has changed since is another one. */
const calledBy = (caller: Admitted, input: Input): Input => (caller === input.caller ? input : { ...input, caller })

function mayCall(operation: Operation, { sunsetAt }: Traits, { caller, now }: Invocation): void {
  if (sunsetAt !== undefined && now >= sunsetAt) throw new ApiError('operation_sunset')
  mustHaveScope(operation, caller.scopes)
}

/** More waits for the database than can be served in time. */
function crowded(): ApiError {
  const seconds = waitMsMax / 1000
  return new ApiError(
    'unavailable',
    `More is waiting than can be done within ${seconds} s, so this was not begun. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

/** The ids in a path; undefined where there is something else, which the schema then explains. */
function idsIn(params: Invocation['params'], names: Traits['idsInPath'] = []): Record<string, Id> | undefined {
  const ids: Record<string, Id> = {}
  for (const name of names) {
    const id = parseInt64(params[name] ?? '')
    if (id === undefined) return undefined
    ids[name] = id
  }
  return names.length > 0 ? ids : undefined
}

const noParameters = z.strictObject({})

/** Everything the caller sent, in its declared form, or one error that names every fault. */
function validated(
  operation: Operation,
  traits: Traits,
  invocation: Invocation,
  bodyText: string,
  mustMatch: Input['mustMatch'],
): Input {
  const { caller, used, now } = invocation
  const ids = traits.takesOnlyIds && !invocation.query ? idsIn(invocation.params, traits.idsInPath) : undefined
  const { params, query, body } = ids
    ? { params: ids, query: undefined, body: undefined }
    : checked(operation, traits, invocation, bodyText)
  return { params, query, body, caller, used, now, mustMatch, paid: 1 }
}

function checked(operation: Operation, traits: Traits, invocation: Invocation, bodyText: string) {
  const faults: Fault[] = []
  const { query } = invocation
  const given = {
    params:
      operation.params &&
      (idsIn(invocation.params, traits.idsInPath) ?? check(operation.params, invocation.params, 'path', faults)),
    query:
      operation.query || query
        ? check(operation.query ?? noParameters, joinLists(query ?? {}, traits.listParameters), 'query', faults)
        : undefined,
    body: undefined as unknown,
  }
  const idempotencyKey = traits.takesIdempotencyKey ? invocation.idempotencyKey : undefined
  if (idempotencyKey !== undefined && !idempotencyKeyOf(idempotencyKey)) {
    faults.push({ in: 'header', path: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' })
  }
  if (operation.body) {
    const value = bodyText === '' && traits.isBodyOptional ? undefined : parseJson(bodyText)
    given.body = check(operation.body, value, 'body', faults)
  }
  if (faults.length > 0) throw validationFailed(faults)
  return given
}
